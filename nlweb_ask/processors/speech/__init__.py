"""How follow-up questions are put in each language: lists of words, and no model."""

from nlweb_ask.processors.speech.english import ENGLISH
from nlweb_ask.processors.speech.french import FRENCH
from nlweb_ask.processors.speech.german import GERMAN

SPEECH = {"en": ENGLISH, "de": GERMAN, "fr": FRENCH}

__all__ = ["SPEECH"]
