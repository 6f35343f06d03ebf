"""The way of one question; `ask.answer` reads it from top to bottom."""
