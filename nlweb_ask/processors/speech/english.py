"""Follow-up questions in English."""

from __future__ import annotations

from typing import Final

from nlweb_ask.processors.speech.words import Said, Speech, classes, listed, phrases

_THINGS: Final = listed("it they them he she him her")
_OWNERS: Final = listed("its their theirs his hers")
_POINTING: Final = listed("this that these those")
# Behind "those", what says which ones are meant.
_TELLING_WHICH: Final = listed("that who which with without")
_BEING: Final = listed("is are was were will be isn aren s")
_COMPARED: Final = listed(
    "cheaper bigger smaller larger closer nearer faster easier shorter longer later "
    "earlier quicker better simpler newer older lighter stronger similar"
)
_WEATHER: Final = ("rain", "snow")
_UNNAMED: Final = listed("any anything something")
# How far behind it the verb stands that `it` only announces: "is it allowed to".
_ANNOUNCED: Final = 6
# Words that mean something: "when did they build the old bridge" asks of nobody's deeds.
MAX_SAID_OF: Final = 2


def _points_back(said: Said) -> bool:
    return any(_stands_for(said, place) for place in range(len(said.words)))


def _stands_for(said: Said, place: int) -> bool:
    key = said.key(place)
    if key in _THINGS:
        means_anybody = key == "they" and len(said.own(place)) > MAX_SAID_OF
        return not (
            means_anybody or said.is_within(place) or _is_announcing(said, place)
        )
    if key in _OWNERS:
        return not said.own(end=place)
    if key in _POINTING:
        return _is_alone(said, place) and not said.is_within(place)
    return _is_left_out(said, place, key)


def _is_announcing(said: Said, place: int) -> bool:
    """Tell "is it allowed to park" and "if it rains" from "attach it to"."""
    if said.key(place) != "it":
        return False
    if said.key(place + 1).startswith(_WEATHER):
        return True
    for behind in range(place + 1, place + 1 + _ANNOUNCED):
        if said.key(behind) == "to":
            return behind > place + 1 and bool(said.own(behind))
        is_own = said.key(behind) == "for" and behind > place + 1
        if said.key(behind) in said.speech.prepositions and not is_own:
            return False
    return False


def _is_alone(said: Said, place: int) -> bool:
    """Tell "how does that work" from "that museum" and "shops that are open"."""
    follows = said.key(place + 1)
    if not follows:
        return True
    if follows in _TELLING_WHICH or said.key(place - 1) in _POINTING:
        return False
    if place and not said.is_function(place - 1) and said.key(place) == "that":
        return False
    return said.is_function(place + 1) or follows in said.speech.asking


def _is_left_out(said: Said, place: int, key: str) -> bool:
    """Tell whether a word stands for a noun that is not said again."""
    before, follows = said.key(place - 1), said.key(place + 1)
    own = len(said.own())
    match key:
        case "there":
            return before not in _BEING and follows not in _BEING
        case "ones":
            return True
        case "one":
            return not follows or _is_verb_or_preposition(said, follows)
        case "same":
            return before == "the" and own <= 2
        case "else":
            return own <= 2
        case _:
            return key in _COMPARED and before in _UNNAMED and own <= 2


def _is_verb_or_preposition(said: Said, key: str) -> bool:
    return key in said.speech.verbs or (key in said.speech.prepositions and key != "of")


ENGLISH: Final = Speech(
    language="en",
    openers=phrases(
        *("and", "or", "but", "also", "ok", "okay", "so", "and also"),
        *("what about", "how about", "and what about", "and how about"),
        *("but what about", "so what about", "ok and", "okay and", "and then"),
    ),
    breaks=phrases(
        *("by the way", "btw", "different question", "a different question"),
        *("another question", "other question", "new question", "something else"),
        *("on another note", "unrelated", "different topic", "new topic"),
        *("thanks by the way", "changing the subject"),
    ),
    courtesies=listed(
        "thanks thank you thx hello hi hey bye goodbye ok okay great please cool yes no "
        "very much a lot"
    ),
    question_words=listed("who what when where why how which whose whom"),
    choosing=listed("what which how"),
    verbs=listed(
        "is are was were be been do does did can could should would will may might must "
        "have has had am shall"
    ),
    subordinators=listed(
        "if when while because since although though before after until once that and or "
        "but so whether which who as"
    ),
    prepositions=classes(
        place="in at near around inside outside",
        day="on",
        goal="to towards",
        origin="from",
        sake="for",
        way="as by via",
        beside="with without",
        belonging="of",
        during="during",
        limit="until before after",
        under="under over between through",
    ),
    adding=listed("beside limit under"),
    determiners=listed("a an the my your our some any"),
    contracted=frozenset(),
    subjects=listed("i you we to one"),
    addressing=listed("you your yours us our here"),
    asking=listed(
        "cost costs price prices much long take takes work works show tell explain "
        "example examples mean means need find happen happens know want buy get use make "
        "go come give more details detail information please often far many exactly "
        "possible else now instead again still yet already exactly useful"
    ),
    times=listed(
        "monday tuesday wednesday thursday friday saturday sunday mondays tuesdays "
        "wednesdays thursdays fridays saturdays sundays weekday weekdays weekend weekends "
        "january february march april may june july august september october november "
        "december spring summer autumn winter today tomorrow tonight yesterday morning "
        "mornings afternoon evening evenings night nights noon week month year christmas "
        "easter holidays next last"
    ),
    points_back=_points_back,
)
