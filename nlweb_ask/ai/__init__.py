"""The one door to language and embedding models, and what may be spent on them."""
