"""A real site that the fixtures are put to, and the plug-ins that its answers need."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlencode

from django.core.cache import cache
from django.test import Client
from django.utils.translation import gettext_lazy

from nlweb_ask.models import AccessGrant, Grantee, SiteSettings
from nlweb_ask.plugins import (
    Citation,
    Elicitation,
    Ended,
    Failure,
    Sentence,
    generators,
    processors,
)
from nlweb_ask.protocol.events import PromiseMade
from tests.factories import IndexProfileFactory, SiteSettingsFactory, UserFactory
from tests.protocol.fixture_files import body_of
from tests.site_in_memory import save, site_in_memory

# Name, text and more of a few pages, so that every question of the fixtures finds one.
PAGES: dict[str, dict[str, str]] = {
    "lentil-soup": {
        "name": "Lentil and cinnamon soup",
        "text": "A vegetarian soup, rich in protein: red lentils and cinnamon.",
        "type": "Recipe",
    },
    "muffins": {
        "name": "Vegetarian muffins with cinnamon",
        "text": "Recipes for muffins that take under 20 minutes.",
        "type": "Recipe",
    },
    "soupe": {
        "name": "Soupe aux lentilles",
        "text": "Une soupe, vegetarian soup in English.",
        "type": "Recipe",
        "language": "fr",
    },
    "suppe": {
        "name": "Linsensuppe",
        "text": "Eine Suppe (soup) mit Linsen.",
        "type": "Recipe",
        "language": "de",
    },
    "puncture": {
        "name": "Mending a puncture",
        "text": "Mend a bicycle puncture in the rain with a second patch.",
        "type": "BlogPosting",
    },
    "films": {"name": "Great crime films", "text": "Ten films.", "type": "Movie"},
    "learning": {
        "name": "Machine learning algorithms",
        "text": "What artificial intelligence is made of.",
    },
    "week": {"name": "Plan a week", "text": "A plan for dinner, and for the body."},
    "members": {"name": "Soup for members", "text": "soup", "readers": "members"},
}

DINNER = Elicitation(
    text="To find the right dinner, a question:",
    questions=(
        {
            "id": "diet",
            "text": "Do you follow a diet?",
            "type": "single_select",
            "options": ["vegetarian", "none"],
        },
    ),
)
# Questions that are not answered; the first one is a fixture's.
ENDINGS = {
    "I need something for dinner": DINNER,
    "soup that fails": Failure(code="TIMEOUT", message="The answer took too long."),
    # Nobody makes promises yet; writers and endpoint are ready for who will.
    "soup that takes long": PromiseMade(token="promise-1", estimated_time=30),
}
BREAKS_OFF = "soup that breaks off"
WRONG_SENTENCE = "soup without words"
LAZY_SENTENCE = "soup in lazy words"
EXITS = "soup that ends the program"


# What a plug-in gives that speaks the visitor's language.
LAZY_END = gettext_lazy("That is all.")


class EndsSome:
    """Ends the questions of `ENDINGS`, each in its way."""

    name = "ends-some"

    def process(self, question, viewer):
        if question.text in ENDINGS:
            raise Ended(ENDINGS[question.text])
        return question


class WritesTwoSentences:
    """Quotes the best page and cites it; goes wrong before the second sentence if asked."""

    name = "two-sentences"

    def generate(self, question, results, deadline):
        best = results[0]
        quote = best.passages[0].text
        cited = Citation(start=0, end=len(quote), url=best.url, quote=quote)
        yield Sentence(text=f"{quote} ", citations=(cited,))
        if question.text == BREAKS_OFF:
            msg = "the model's own words of regret"
            raise RuntimeError(msg)
        if question.text == WRONG_SENTENCE:
            yield Sentence(text=None)
        if question.text == EXITS:
            raise SystemExit(3)
        lazy = question.text == LAZY_SENTENCE
        yield Sentence(text=LAZY_END if lazy else "That is all.")


class SiteOfTheFixtures:
    """Ways to ask the site and to change it."""

    def __init__(self, **fields: Any) -> None:
        self.row = SiteSettings()
        self.fields = fields
        self.open()

    def open(self) -> None:
        """Let the site be as it is at first, and everyone ask."""
        SiteSettings.objects.all().delete()
        self.row = SiteSettingsFactory(**self.fields)
        # What is emptied after a test with threads holds no row of a migration.
        AccessGrant.objects.get_or_create(profile=None, kind=Grantee.EVERYONE)
        self.client = Client()
        cache.clear()

    def send(self, request: dict[str, Any]) -> Any:
        """Send a request of a fixture as it stands there."""
        query = urlencode([tuple(pair) for pair in request.get("query", [])])
        headers = {
            name: value
            for name, value in request.get("headers", {}).items()
            if not value.startswith("(")  # described, not given
        }
        return self.client.generic(
            request["method"],
            request["path"] + (f"?{query}" if query else ""),
            body_of(request),
            content_type=headers.pop("Content-Type", ""),
            headers=headers,
        )

    def change(self, **fields: Any) -> None:
        for name, value in fields.items():
            setattr(self.row, name, value)
        self.row.save()

    def close_to_all(self) -> None:
        AccessGrant.objects.all().delete()

    def sign_in(self) -> None:
        self.client.force_login(UserFactory())


@contextmanager
def site_of_the_fixtures(settings: Any) -> Iterator[SiteOfTheFixtures]:
    processors.register(EndsSome)
    generators.register(WritesTwoSentences)
    settings.NLWEB_ASK = {
        "PROCESSORS": ["ends-some"],
        "GENERATORS": ["two-sentences"],
        "HANDLERS": [],
        "SITES_ENDPOINT": True,
    }
    try:
        with site_in_memory():
            blog = IndexProfileFactory(name="blog")
            IndexProfileFactory(name="shop")
            for object_id, page in PAGES.items():
                save(object_id, **page)
            yield SiteOfTheFixtures(
                base_url="https://www.example.org", default_profile=blog
            )
    finally:
        processors.unregister("ends-some")
        generators.unregister("two-sentences")
