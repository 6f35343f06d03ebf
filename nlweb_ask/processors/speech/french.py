"""Follow-up questions in French."""

from __future__ import annotations

import re
from typing import Final

from nlweb_ask.processors.speech.words import Said, Speech, classes, listed, phrases

_PERSONS: Final = listed("il elle ils elles lui eux")
_POINTING: Final = listed("ça ca cela ceci celui celle ceux celles")
_CLITICS: Final = listed("le la les l")
_OWNERS: Final = listed("son sa ses leur leurs")
# What stands before a pronoun and its verb, and hardly before an article and its noun.
_BEFORE_CLITICS: Final = listed("comment où quand pourquoi je on vous il faut")
_INFINITIVE: Final = re.compile(r".+(?:er|ir|oir|re)")
_AFTER_EN: Final = listed(
    "faut trouver trouve acheter avoir ai est sont existe obtenir reste prendre faire "
    "savoir a commander utiliser parler"
)
_UNREAL: Final = listed(
    "faut pleut neige agit existe vaut"
)  # of which `il` is no thing
_ANNOUNCED: Final = 3


def _points_back(said: Said) -> bool:
    return any(_stands_for(said, place) for place in range(len(said.words)))


def _stands_for(said: Said, place: int) -> bool:
    key = said.key(place)
    if key in _PERSONS:
        return not said.own(end=place) and not _is_announcing(said, place)
    if key in _POINTING:
        return not said.is_within(place)
    if key in _OWNERS:
        return not said.own(end=place) and len(said.own()) <= 1
    if key in _CLITICS:
        return _is_object(said, place) and not said.is_within(place)
    return _stands_for_little(said, place, key)


def _is_object(said: Said, place: int) -> bool:
    """Tell "je le perds" and "puis-je le faire" from "ai-je le droit" and "le droit"."""
    before, verb = said.key(place - 1), said.key(place + 1)
    if before in said.speech.subjects and verb:
        start = said.words[place - 1].start
        if said.text[start - 1 : start] != "-":
            return True
    return before in _BEFORE_CLITICS and bool(_INFINITIVE.fullmatch(verb))


def _is_announcing(said: Said, place: int) -> bool:
    """Tell "y a-t-il", "faut-il" and "est-il possible de" from "est-il ouvert"."""
    if said.key(place) != "il":
        return False
    around = [said.key(near) for near in range(place - 3, place + 3)]
    if ("y" in around and "a" in around) or not _UNREAL.isdisjoint(around):
        return True
    behind = range(place + 2, place + 2 + _ANNOUNCED)
    return any(said.key(each) in {"de", "d", "que", "qu"} for each in behind)


def _stands_for_little(said: Said, place: int, key: str) -> bool:
    before, follows = said.key(place - 1), said.key(place + 1)
    own = said.own()
    match key:
        case "y":
            return "a" not in {follows, before}
        case "en":
            return follows in _AFTER_EN
        case "c":
            return follows == "est" and _names_nothing(said, place + 2)
        case "ce":
            is_it = before == "est" and follows not in {"que", "qu"}
            return is_it and _names_nothing(said, place + 1)
        case "même" | "mêmes":
            return before in said.speech.determiners and len(own) <= 2
        case "plus" | "moins":
            ends = place + 2 == len(said.words)
            return ends and own == [place + 1]
        case _:
            return False


def _names_nothing(said: Said, first: int) -> bool:
    """Tell "c'est gratuit" from "c'est quoi un visa" and "c'est où la gare"."""
    named = any(
        said.key(place) in said.speech.determiners
        and said.key(place + 1) not in said.speech.times
        for place in range(first, len(said.words))
    )
    return not named and len(said.own(first)) <= 2


FRENCH: Final = Speech(
    language="fr",
    openers=phrases(
        *("et", "ou", "mais", "aussi", "et aussi", "ok", "donc", "et puis"),
        *("qu en est il", "et qu en est il", "et si c est", "et alors"),
    ),
    breaks=phrases(
        *("au fait", "autre question", "une autre question", "autre chose"),
        *("autre sujet", "changement de sujet", "nouvelle question", "sinon"),
        *("d ailleurs", "à propos"),
    ),
    courtesies=listed(
        "merci beaucoup bien bonjour salut bonsoir ok super parfait oui non revoir au "
        "d accord"
    ),
    question_words=listed(
        "qui que quoi quand où comment pourquoi quel quelle quels quelles combien lequel "
        "laquelle lesquels lesquelles qu"
    ),
    choosing=listed("quel quelle quels quelles combien"),
    verbs=listed(
        "est sont a ont peut peuvent peux puis dois doit doivent faut était sera seront "
        "ai as avez êtes suis"
    ),
    subordinators=listed(
        "si quand lorsque parce car puisque avant après que qu et ou mais pendant dont qui"
    ),
    prepositions=classes(
        place="à au aux en dans chez",
        belonging="de du des d",
        sake="pour",
        way="comme par",
        beside="avec sans",
        during="pendant durant",
        limit="jusqu avant après depuis dès",
        ground="sur",
        under="sous entre vers",
    ),
    adding=listed("beside limit under"),
    determiners=listed(
        "le la les l un une mon ma mes votre vos notre nos cet cette ces"
    ),
    contracted=listed("du des au aux"),
    subjects=listed("je j tu on nous"),
    addressing=listed("vous votre vos tu ton ta tes nous ici"),
    asking=listed(
        "coûte coûtent coute coût prix temps prend prennent faire marche fonctionne "
        "fonctionnent trouver trouve acheter exemple exemples explique expliquer montrer "
        "montre signifie dire dis savoir sais besoin combien plait plaît utiliser aller "
        "obtenir exactement plus détails infos informations pourquoi chose possible passe maintenant encore alors "
        "déjà partir"
    ),
    times=listed(
        "lundi mardi mercredi jeudi vendredi samedi dimanche lundis mardis mercredis "
        "jeudis vendredis samedis dimanches semaine week end janvier février mars avril "
        "mai juin juillet août aout septembre octobre novembre décembre printemps été "
        "automne hiver aujourd hui demain hier matin midi après soir soirée nuit mois année "
        "noël pâques vacances jours fériés prochain prochaine dernier dernière"
    ),
    points_back=_points_back,
)
