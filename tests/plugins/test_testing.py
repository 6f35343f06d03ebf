"""`nlweb_ask.testing`: a plug-in that keeps its promises passes, each broken one fails."""

from __future__ import annotations

import time
from dataclasses import replace

import pytest

from nlweb_ask.models import AccessGrant, Document
from nlweb_ask.plugins import (
    Candidate,
    Citation,
    Ended,
    Failure,
    PassageText,
    Question,
    Reference,
    Result,
    Scope,
    Sentence,
    SourceDocument,
    SourceRef,
    Viewer,
)
from nlweb_ask.sources import ModelSource, ObjectPermissionSource
from nlweb_ask.testing import (
    check_generator,
    check_handler,
    check_processor,
    check_ranker,
    check_retriever,
    check_source,
)
from tests.factories import UserFactory
from tests.testapp.models import Article

QUESTION = Question(text="bread")


def make_candidate(object_id, score=1.0, source="recipes"):
    return Candidate(source=source, object_id=object_id, language="en", score=score)


def make_result(object_id, text="Let the dough rest for an hour."):
    passage = PassageText(
        ordinal=0, heading="", anchor="", text=text, start=0, end=31, words_hash="h"
    )
    return Result(
        reference=Reference("recipes", object_id, "en"),
        public_id=object_id,
        url=f"https://example.org/{object_id}/",
        name=object_id,
        site="example.org",
        score=50.0,
        description=text,
        schema_object={"@type": "Recipe"},
        passages=(passage,),
    )


RESULTS = (make_result("a"), make_result("b"), make_result("c"))


# Processors


class GoodProcessor:
    name = "lower"

    def process(self, question, viewer):
        return replace(question, text=question.text.lower())


class EndingProcessor:
    name = "ending"

    def process(self, question, viewer):
        raise Ended(Failure(code="INVALID_REQUEST", message="Not here."))


class GivesText(GoodProcessor):
    def process(self, question, viewer):
        return question.text


class LeavesNothing(GoodProcessor):
    def process(self, question, viewer):
        return replace(question, text=" ")


class Nameless(GoodProcessor):
    name = ""


class NamedLikeAPath(GoodProcessor):
    name = "house.words"


@pytest.mark.parametrize("processor", [GoodProcessor(), EndingProcessor()])
def test_processor_that_keeps_its_promises_passes(processor):
    check_processor(processor, QUESTION)


@pytest.mark.parametrize(
    ("processor", "promise"),
    [
        pytest.param(GivesText(), "must return a Question", id="no-question"),
        pytest.param(LeavesNothing(), "words to search for", id="no-words"),
        pytest.param(Nameless(), "name of its own", id="no-name"),
        pytest.param(NamedLikeAPath(), "must not have a dot", id="dotted-name"),
    ],
)
def test_processor_that_breaks_a_promise_fails(processor, promise):
    with pytest.raises(AssertionError, match=promise):
        check_processor(processor, QUESTION)


# Retrievers


class GoodRetriever:
    name = "shelf"
    pages = [make_candidate(str(number), 9.0 - number) for number in range(8)]

    def retrieve(self, question, scope, *, limit):
        return self.pages[:limit] if question.text == "bread" else []


@pytest.fixture
def shelf(db):
    """The documents that the retrievers here find."""
    Document.objects.bulk_create(
        Document(
            key=object_id,
            source="recipes",
            object_id=object_id,
            language="en",
            indexed=True,
        )
        for object_id in (*map(str, range(12)), "a", "b", "only")
    )


class SingleResult(GoodRetriever):
    pages = [make_candidate("only")]


class IgnoresLimit(GoodRetriever):
    def retrieve(self, question, scope, *, limit):
        return self.pages


class WorstFirst(GoodRetriever):
    pages = [make_candidate("a", 1.0), make_candidate("b", 2.0)]


class GivesTwice(GoodRetriever):
    pages = [make_candidate("a"), make_candidate("a")]


class GivesNumbers(GoodRetriever):
    pages = [make_candidate(5)]


class ScoresNotANumber(GoodRetriever):
    pages = [make_candidate("a", float("nan"))]


class LeavesTheScope(GoodRetriever):
    pages = [make_candidate("a", source="elsewhere")]


class NamesAnotherLanguage(GoodRetriever):
    pages = [replace(make_candidate("1"), language="en-us")]


class FindsWhatIsGone(GoodRetriever):
    pages = [make_candidate("no-such-page")]


class GivesIterator(GoodRetriever):
    def retrieve(self, question, scope, *, limit):
        return iter(self.pages[:limit])


class GivesTitles(GoodRetriever):
    pages = ["bread"]


class FindsForNoWords(GoodRetriever):
    def retrieve(self, question, scope, *, limit):
        return self.pages[:limit]


class ReordersWithLimit(GoodRetriever):
    """Equal scores, cut from another end for each limit."""

    def retrieve(self, question, scope, *, limit):
        if question.text != "bread":
            return []
        page = limit % 3
        return [make_candidate(str(page + number)) for number in range(limit)]


class HoldsBack(GoodRetriever):
    """Gives less than asked for although there is more."""

    def retrieve(self, question, scope, *, limit):
        return self.pages[: limit // 2] if question.text == "bread" else []


@pytest.mark.usefixtures("shelf")
@pytest.mark.parametrize("retriever", [GoodRetriever(), SingleResult()])
def test_retriever_that_keeps_its_promises_passes(retriever):
    check_retriever(
        retriever, QUESTION, Scope(site_id=0, sources=("recipes",)), limit=4
    )


@pytest.mark.usefixtures("shelf")
@pytest.mark.parametrize(
    ("retriever", "promise"),
    [
        pytest.param(
            NamesAnotherLanguage(),
            r"language='en-us'.* no indexed document.*\['en'\]",
            id="language",
        ),
        pytest.param(FindsWhatIsGone(), r"no indexed document.*\[\]", id="gone"),
        pytest.param(IgnoresLimit(), "at most limit=4", id="limit"),
        pytest.param(WorstFirst(), "best candidate must come first", id="order"),
        pytest.param(GivesTwice(), "each once", id="uniqueness"),
        pytest.param(GivesNumbers(), "object_id must be a text", id="id-is-no-text"),
        pytest.param(ScoresNotANumber(), "finite number", id="nan"),
        pytest.param(LeavesTheScope(), "outside of scope", id="scope"),
        pytest.param(GivesIterator(), "a list or a tuple", id="no-sequence"),
        pytest.param(GivesTitles(), "must give Candidates", id="no-candidates"),
        pytest.param(FindsForNoWords(), "must find nothing", id="no-words"),
        pytest.param(ReordersWithLimit(), "limit=", id="prefix"),
        pytest.param(HoldsBack(), "limit=", id="short-list"),
    ],
)
def test_retriever_that_breaks_a_promise_fails(retriever, promise):
    scope = Scope(site_id=0, sources=("recipes",))
    with pytest.raises(AssertionError, match=promise):
        check_retriever(retriever, QUESTION, scope, limit=4)


# Rankers


class GoodRanker:
    name = "backwards"

    def rank(self, question, results):
        return [replace(result, score=40.0) for result in reversed(results)][:2]


class Adds(GoodRanker):
    def rank(self, question, results):
        return [*results, make_result("z")]


class Repeats(GoodRanker):
    def rank(self, question, results):
        return [*results, *results]


class Rewrites(GoodRanker):
    def rank(self, question, results):
        return [replace(result, description="Best ever.") for result in results]


class GivesNames(GoodRanker):
    def rank(self, question, results):
        return [result.name for result in results]


class YieldsResults(GoodRanker):
    def rank(self, question, results):
        yield from results


def test_ranker_that_keeps_its_promises_passes():
    check_ranker(GoodRanker(), QUESTION, RESULTS)


@pytest.mark.parametrize(
    ("ranker", "promise"),
    [
        pytest.param(Adds(), "added", id="adds"),
        pytest.param(Repeats(), "each once", id="repeats"),
        pytest.param(Rewrites(), "must not rewrite", id="rewrites"),
        pytest.param(GivesNames(), "must give Results", id="no-results"),
        pytest.param(YieldsResults(), "a list or a tuple", id="no-sequence"),
    ],
)
def test_ranker_that_breaks_a_promise_fails(ranker, promise):
    with pytest.raises(AssertionError, match=promise):
        check_ranker(ranker, QUESTION, RESULTS)


def test_ranker_cannot_be_checked_with_nothing_to_order():
    with pytest.raises(AssertionError, match="at least two results"):
        check_ranker(GoodRanker(), QUESTION, RESULTS[:1])


# Generators


class GoodGenerator:
    name = "quoter"
    quote = "Let the dough rest"

    def generate(self, question, results, deadline):
        for result in results:
            if deadline.stop.is_set() or time.monotonic() > deadline.at:
                return
            yield self.sentence(result)

    def sentence(self, result):
        citation = Citation(start=0, end=5, url=result.url, quote=self.quote)
        return Sentence(text="Let it rest. ", citations=(citation,))


class Deaf(GoodGenerator):
    def generate(self, question, results, deadline):
        yield from map(self.sentence, results)


class HearsOnlyTheClock(GoodGenerator):
    def generate(self, question, results, deadline):
        if time.monotonic() < deadline.at:
            yield from map(self.sentence, results)


class HearsOnlyTheClient(GoodGenerator):
    def generate(self, question, results, deadline):
        for result in results:
            if deadline.stop.is_set():
                return
            yield self.sentence(result)


class CitesElsewhere(GoodGenerator):
    def sentence(self, result):
        return super().sentence(replace(result, url="https://evil.example/"))


class Invents(GoodGenerator):
    quote = "Bake it on the moon"


class CitesBeyondItsEnd(GoodGenerator):
    def sentence(self, result):
        return replace(super().sentence(result), text="Let")


class SaysNothing(GoodGenerator):
    def generate(self, question, results, deadline):
        return iter(())


class WritesBlanks(GoodGenerator):
    def sentence(self, result):
        return Sentence(text=" ")


class WritesAtOnce(GoodGenerator):
    def generate(self, question, results, deadline):
        return [self.sentence(result) for result in results]


class CitesFromNothing(GoodGenerator):
    def generate(self, question, results, deadline):
        if not results:
            yield self.sentence(RESULTS[0])
        yield from super().generate(question, results, deadline)


def test_generator_that_keeps_its_promises_passes():
    check_generator(GoodGenerator(), QUESTION, RESULTS)


@pytest.mark.parametrize(
    ("generator", "promise"),
    [
        pytest.param(Deaf(), "after deadline.stop was set", id="deaf"),
        pytest.param(HearsOnlyTheClock(), "deadline.stop was set", id="stop"),
        pytest.param(HearsOnlyTheClient(), "deadline.at had passed", id="deadline"),
        pytest.param(CitesElsewhere(), "none of the pages", id="foreign-page"),
        pytest.param(Invents(), "does not say", id="invented-quote"),
        pytest.param(CitesBeyondItsEnd(), "outside of its sentence", id="offsets"),
        pytest.param(SaysNothing(), "wrote nothing", id="silent"),
        pytest.param(WritesBlanks(), "must have words", id="blank"),
        pytest.param(WritesAtOnce(), "one by one", id="not-lazy"),
        pytest.param(CitesFromNothing(), "nothing to cite", id="cites-from-nothing"),
    ],
)
def test_generator_that_breaks_a_promise_fails(generator, promise):
    with pytest.raises(AssertionError, match=promise):
        check_generator(generator, QUESTION, RESULTS)


# Handlers


class GoodHandler:
    name = "counter"

    def __init__(self):
        self.codes = []

    def handle(self, question, outcome):
        self.codes.append(outcome.error_code)


class Answers(GoodHandler):
    def handle(self, question, outcome):
        return "an answer"


def test_handler_is_given_an_answer_and_a_failure():
    handler = GoodHandler()
    check_handler(handler, QUESTION)
    assert handler.codes == ["", "INTERNAL_ERROR"]


def test_handler_that_returns_something_fails():
    with pytest.raises(AssertionError, match="returns nothing"):
        check_handler(Answers(), QUESTION)


# Sources


class GoodSource:
    """Pages that stand in memory; each question for visibility asks the database once."""

    name = "shelf.page"
    object_ids = ["1", "2", "3"]

    def iter_refs(self):
        return iter([SourceRef(object_id) for object_id in self.object_ids])

    def load(self, object_ids):
        return [self.document(each) for each in object_ids if each in self.object_ids]

    def document(self, object_id):
        return SourceDocument(
            object_id=object_id,
            url=f"/pages/{object_id}/",
            name=object_id,
            language="en",
            schema_object={"@type": "WebPage"},
        )

    def visible_ids(self, viewer, object_ids):
        AccessGrant.objects.count()
        return set(object_ids) & set(self.object_ids)


class Undeclared(GoodSource):
    def declares_visibility(self):
        return False


class OffersTwice(GoodSource):
    object_ids = ["1", "1"]


class OffersInAnyOrder(GoodSource):
    def iter_refs(self):
        self.object_ids = [*self.object_ids[1:], self.object_ids[0]]
        return super().iter_refs()


class OffersPlainIds(GoodSource):
    def iter_refs(self):
        return iter(self.object_ids)


class OffersOne(GoodSource):
    object_ids = ["1"]


class OffersLongIds(GoodSource):
    object_ids = ["1", "2" * 256]


class InventsPages(GoodSource):
    def load(self, object_ids):
        return [self.document(each) for each in object_ids]


class LoadsOthers(GoodSource):
    def load(self, object_ids):
        return [self.document("9")]


class LoadsNothing(GoodSource):
    def load(self, object_ids):
        return []


class LoadsTwice(GoodSource):
    def load(self, object_ids):
        return [*super().load(object_ids), *super().load(object_ids)]


class WithoutType(GoodSource):
    def document(self, object_id):
        return replace(super().document(object_id), schema_object={"name": "x"})


class NotJson(GoodSource):
    def document(self, object_id):
        described = {"@type": "WebPage", "author": object()}
        return replace(super().document(object_id), schema_object=described)


class RelativeAddress(GoodSource):
    def document(self, object_id):
        return replace(super().document(object_id), url="pages/1")


class ShowsWhatWasNotAsked(GoodSource):
    def visible_ids(self, viewer, object_ids):
        return set(self.object_ids)


class ShowsTheUnknown(GoodSource):
    def visible_ids(self, viewer, object_ids):
        return set(object_ids)


class ShowsAList(GoodSource):
    def visible_ids(self, viewer, object_ids):
        return list(object_ids)


class AsksOneByOne(GoodSource):
    def visible_ids(self, viewer, object_ids):
        for _ in object_ids:
            AccessGrant.objects.count()
        return set(object_ids) & set(self.object_ids)


class ShowsTheFirst(GoodSource):
    def visible_ids(self, viewer, object_ids):
        return set(sorted(super().visible_ids(viewer, object_ids))[:2])


class ShowsWhatIsAlone(GoodSource):
    def visible_ids(self, viewer, object_ids):
        visible = super().visible_ids(viewer, object_ids)
        return visible if len(visible) == 1 else set()


@pytest.mark.django_db
def test_source_that_keeps_its_promises_passes():
    check_source(GoodSource())


class AsksTheDatabase:
    """A backend that looks each page up, as the one of django-guardian does."""

    def authenticate(self, request):
        return None

    def has_perm(self, user, permission, obj=None):
        return obj is not None and Article.objects.filter(pk=obj.pk).exists()


class JudgedArticles(ObjectPermissionSource):
    name = "judged"
    model = Article


@pytest.mark.django_db
def test_source_that_judges_page_by_page_may_ask_for_each(settings):
    settings.AUTHENTICATION_BACKENDS = [f"{__name__}.AsksTheDatabase"]
    for number in range(6):
        Article.objects.create(title=f"Article {number}")
    check_source(JudgedArticles(), [Viewer(user=UserFactory())])


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("source", "promise"),
    [
        pytest.param(Undeclared(), "must say who may see", id="undeclared"),
        pytest.param(OffersTwice(), "each once", id="refs-twice"),
        pytest.param(OffersInAnyOrder(), "same order", id="refs-unstable"),
        pytest.param(OffersPlainIds(), "must yield SourceRefs", id="no-refs"),
        pytest.param(OffersOne(), "at least two objects", id="too-few"),
        pytest.param(OffersLongIds(), "at most 255", id="long-id"),
        pytest.param(InventsPages(), "not offered", id="invents-pages"),
        pytest.param(LoadsOthers(), "not asked for", id="loads-others"),
        pytest.param(LoadsNothing(), "gave no document", id="loads-nothing"),
        pytest.param(LoadsTwice(), "each once", id="loads-twice"),
        pytest.param(WithoutType(), "@type", id="no-type"),
        pytest.param(NotJson(), "is not JSON", id="no-json"),
        pytest.param(RelativeAddress(), "from the root", id="relative-url"),
        pytest.param(ShowsWhatWasNotAsked(), "not asked about|empty", id="shows-more"),
        pytest.param(ShowsTheUnknown(), "must be empty", id="shows-the-unknown"),
        pytest.param(ShowsAList(), "must return a set", id="no-set"),
        pytest.param(AsksOneByOne(), "3 queries for 3 ids", id="query-each"),
        pytest.param(ShowsTheFirst(), "page by itself", id="shows-the-first"),
        pytest.param(ShowsWhatIsAlone(), "'1' alone only", id="shows-what-is-alone"),
    ],
)
def test_source_that_breaks_a_promise_fails(source, promise):
    with pytest.raises(AssertionError, match=promise):
        check_source(source)


@pytest.mark.django_db
@pytest.mark.parametrize("method", ["visible_to", "get_queryset"])
def test_model_source_that_gives_a_list_for_a_queryset_fails(method):
    def gives_a_list(self, *_args):
        return list(Document.objects.all())

    attributes = {"model": Document, "public": True, method: gives_a_list}
    source = type("GivesAList", (ModelSource,), {"name": "list", **attributes})()
    promise = rf"{method}\(\) must return a queryset, not list"
    with pytest.raises(AssertionError, match=promise):
        check_source(source)
