"""What engines read as syntax when it reaches them as typed."""

from __future__ import annotations

SYNTAX = [
    "AND NOT",
    "-puncture",
    "NOT puncture",
    '"no such phrase"',
    "title:puncture",
    "django_ct:auth.user",
    "*",
    "*:*",
    "punct*",
    "(((",
    "[a TO",
    "x~9 y^9",
    r"\ \\ /.*/",
    "' OR 1=1 --",
    "{!func}1",
    "a && b || !c",
    "nul\x00l",
]
