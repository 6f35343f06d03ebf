"""The whole search step as a question takes it, without rights and without texts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from django.contrib.auth.models import AnonymousUser, User

from nlweb_ask.conf import granted_profiles, site_conf
from nlweb_ask.index.reading import one_moment
from nlweb_ask.index.spelling import with_corrections
from nlweb_ask.pipeline.permit import RESTRICTED_WINDOW
from nlweb_ask.pipeline.scope import pick_scope, search_scopes
from nlweb_ask.plugins import Candidate, Question, Viewer
from nlweb_ask.retrievers.keyword import KeywordRetriever
from tests.bench.corpus import MadePage
from tests.bench.engines import content_words

SITE = 0
RESULTS = 10
LONGEST = 64  # terms


class Step:
    """Search as a visitor does (one partition) or as a member does (both).

    Whose question it is and what the site is like is settled before; versions, spelling,
    all fields, the page list and coverage are in it.
    """

    def __init__(self, *, member: bool) -> None:
        user = User(pk=1, username="member") if member else AnonymousUser()
        self.viewer = Viewer(user=user, site_id=SITE)
        question, conf = Question(text=""), site_conf(SITE)
        profiles = granted_profiles(self.viewer, conf)
        self.scope = pick_scope(question, self.viewer, conf, profiles)
        self.retriever = KeywordRetriever()

    def __call__(self, text: str) -> list[Sequence[Candidate]]:
        with one_moment():
            return self._search(Question(text=text))

    def _search(self, question: Question) -> list[Sequence[Candidate]]:
        scopes = search_scopes(question, self.viewer, self.scope)
        question = with_corrections(question, scopes[0])
        return [
            self.retriever.retrieve(question, scope, limit=limit)
            for scope, limit in zip(scopes, (RESULTS, RESTRICTED_WINDOW), strict=False)
        ]


def worst_question(pages: Iterable[MadePage]) -> str:
    """Return a question of the words that most passages have."""
    counts = Counter(
        word
        for page in pages
        for part in page.parts
        for word in set(content_words(part.text.lower()))
    )
    return " ".join(word for word, _number in counts.most_common(2 * LONGEST))
