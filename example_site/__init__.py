"""A small organisation's site that can be asked: the demo, and the tests' settings."""
