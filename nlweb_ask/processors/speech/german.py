"""Follow-up questions in German."""

from __future__ import annotations

from typing import Final

from nlweb_ask.processors.speech.words import Said, Speech, classes, listed, phrases

_PERSONS: Final = listed("er ihn ihm ihnen sie")
_OWNERS: Final = listed(
    "dessen deren ihre ihren ihrem ihrer ihres seine seinen seinem seiner seines"
)
_POINTING: Final = listed("der die den")
_PLAIN_POINTING: Final = listed("dies diese dieser dieses diesen diesem das")
_THERE: Final = listed(
    "dort dorthin dahin darin dafür dabei dazu daran darauf darüber davon danach dagegen "
    "daraus damit daneben dorther dafuer darueber"
)
# In all small letters "haben sie parkplätze" asks whoever answers.
_OFFERING: Final = listed(
    "haben bieten verkaufen können nehmen akzeptieren liefern führen machen sind"
)
_UNREAL: Final = listed(
    "gibt geht regnet schneit spät spaet"
)  # of which `es` is no thing
_WHICH: Final = listed("welche welcher welches welchen")
_SAME: Final = listed("dasselbe dieselbe dieselben derselbe gleiche selbe")
_COMPARED: Final = listed(
    "billiger billigeres günstiger günstigeres größeres kleineres näher schneller "
    "schnelleres einfacher einfacheres besseres ähnliches neueres"
)


def _points_back(said: Said) -> bool:
    return any(_stands_for(said, place) for place in range(len(said.words)))


def _stands_for(said: Said, place: int) -> bool:
    key = said.key(place)
    if key in _PERSONS:
        return _is_third_person(said, place)
    if key == "da":
        return place > 0 and not said.is_within(place)
    if key == "es":
        return _is_thing(said, place)
    if key in _OWNERS:
        return not said.words[place].is_capitalized and not said.own(end=place)
    if key in _THERE:
        means_so_that = key == "damit" and said.key(place + 1) in said.speech.subjects
        return not said.is_within(place) and not means_so_that
    return _points(said, place, key)


def _is_third_person(said: Said, place: int) -> bool:
    if said.words[place].is_capitalized or said.is_within(place):
        return False
    if said.key(place) != "sie" or _has_capitals(said):
        return True
    return said.key(place - 1) not in _OFFERING


def _is_thing(said: Said, place: int) -> bool:
    around = {said.key(place - 1), said.key(place + 1), said.key(place - 2)}
    return (
        _UNREAL.isdisjoint(around)
        and len(said.own()) <= 1
        and not said.is_within(place)
    )


def _points(said: Said, place: int, key: str) -> bool:
    own = said.own()
    if key in _PLAIN_POINTING:
        return _is_alone(said, place) and not said.is_within(place)
    if key in _POINTING:
        return _is_object(said, place) and not said.is_within(place)
    if key in _WHICH:
        names_nothing = not any(said.words[each].is_capitalized for each in own)
        follows = said.key(place + 1)
        return follows in said.speech.verbs and names_nothing and len(own) <= 1
    if key in _SAME:
        return len(own) <= 2
    return key in _COMPARED and not any(said.words[each].is_capitalized for each in own)


def _is_alone(said: Said, place: int) -> bool:
    """Tell "wie geht das" from "das neue Museum" and "das für ein Museum"."""
    word = said.words[place]
    if "," in said.text[max(word.start - 2, 0) : word.start]:
        return False  # the beginning of a clause about what was just named
    follows = place + 1
    if follows >= len(said.words):
        return True
    if said.words[follows].is_capitalized or said.key(follows + 1).startswith("ein"):
        return False
    if said.is_function(follows) or said.key(follows) in said.speech.asking:
        return True
    return _is_object(said, place) and _has_capitals(said)


def _is_object(said: Said, place: int) -> bool:
    """Tell "wo kann ich die abgeben" by its last word, which is no noun."""
    if place + 1 >= len(said.words):
        return True
    last = said.words[-1]
    is_infinitive = last.key.endswith("n") and last.text.islower()
    return (
        place + 2 == len(said.words)
        and is_infinitive
        and said.text != said.text.casefold()
    )


def _has_capitals(said: Said) -> bool:
    """Tell whether nouns are written as they ought to be."""
    return said.text[1:] != said.text[1:].casefold()


GERMAN: Final = Speech(
    language="de",
    openers=phrases(
        *("und", "oder", "aber", "auch", "und auch", "ok", "okay", "also"),
        *("was ist mit", "wie ist es mit", "wie sieht es mit", "wie siehts mit"),
        *("und was ist mit", "und wie ist es mit", "und wie sieht es mit", "und dann"),
    ),
    breaks=phrases(
        *("übrigens", "andere frage", "eine andere frage", "anderes thema"),
        *("ein anderes thema", "etwas anderes", "was anderes", "neue frage"),
        *("noch eine frage", "nebenbei", "ganz was anderes"),
    ),
    courtesies=listed(
        "danke vielen dank dankeschön hallo hi tschüss super gut ok okay bitte ja nein "
        "prima sehr guten tag"
    ),
    question_words=listed(
        "wer was wann wo warum wie wieso weshalb woher wohin womit wen wem wozu welche "
        "welcher welches welchen welchem wieviel wobei"
    ),
    choosing=listed("welche welcher welches welchen welchem wie"),
    verbs=listed(
        "ist sind war waren kann können könnte darf dürfen muss müssen soll sollte gibt "
        "hat haben habe hast wird werden würde wurde möchte will wollen bin seid"
    ),
    subordinators=listed(
        "wenn falls weil da ob bevor nachdem während bis dass damit obwohl sobald und "
        "oder aber als"
    ),
    prepositions=classes(
        place="in im ins an am bei beim auf nach",
        goal="zu zum zur",
        origin="aus von vom",
        sake="für fuer",
        way="als per",
        beside="mit ohne",
        during="während",
        limit="bis vor ab seit um",
        against="gegen",
        under="über unter zwischen durch",
    ),
    adding=listed("beside limit under"),
    determiners=listed(
        "der die das den dem des ein eine einen einem einer eines mein meine meinen "
        "meinem meiner unser unsere"
    ),
    contracted=listed("im ins am beim zum zur vom"),
    subjects=listed("ich du wir man"),
    addressing=listed("du dein deine uns unser unsere ihr euch hier"),
    asking=listed(
        "kostet kosten preis preise dauert dauern lange viel oft weit machen mache macht "
        "tun geht gehen funktioniert funktionieren brauche brauchen braucht finde finden "
        "zeig zeigen erkläre erklären erzähl beispiel beispiele bedeutet bekomme bekommen "
        "kaufen kaufe komme kommt kommen benutze nutze nutzen bitte genau mehr details "
        "informationen infos passiert gilt gelten möglich sag sagen jetzt noch wieder dann sonst schon "
        "eigentlich denn hilft"
    ),
    times=listed(
        "montag dienstag mittwoch donnerstag freitag samstag sonntag montags dienstags "
        "mittwochs donnerstags freitags samstags sonntags werktags wochenende wochenenden "
        "januar februar märz april mai juni juli august september oktober november "
        "dezember frühling frühjahr sommer herbst winter heute morgen übermorgen gestern "
        "morgens mittags nachmittags abend abends nacht nachts woche monat jahr weihnachten "
        "ostern feiertagen feiertags ferien nächste nächsten nächstes letzte letzten"
    ),
    nouns_are_capitalized=True,
    points_back=_points_back,
)
