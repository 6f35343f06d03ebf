"""Words of a passage, found by a quote that was typed in other signs.

Models write straight quotation marks and plain hyphens for those of the page, and leave
out what is not seen. What is found is cut out of the passage as it stands there.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final

_ALIKE: Final = str.maketrans(
    {
        **dict.fromkeys("\u2018\u2019\u201a\u02bc\u2032", "'"),
        **dict.fromkeys("\u201c\u201d\u201e\u2033\u00ab\u00bb", '"'),
        **dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2212", "-"),
    }
)
_AROUND: Final = "\"' \n\t"
_OMITTED: Final = re.compile(r"^(?:\.\.\.|\u2026)\s*|\s*(?:\.\.\.|\u2026)$")


class Loosened:
    """A text in plainer signs, and where each of them stands."""

    def __init__(self, text: str) -> None:
        self.text = text
        seen = [place for place, sign in enumerate(text) if _is_seen(sign)]
        self._places = seen
        self._plain = "".join(text[place] for place in seen).translate(_ALIKE)

    def find(self, quote: str) -> str | None:
        """Return the words of the text that say `quote`; None when none do."""
        words = _plain(quote).split()
        # Before a pattern is made of it, which is kept for a while.
        if not words or len(" ".join(words)) > len(self._plain):
            return None
        found = re.search(r"\s+".join(map(re.escape, words)), self._plain)
        if found is None:
            return None
        start, last = self._places[found.start()], self._places[found.end() - 1]
        return self.text[start : last + 1]


def _plain(quote: str) -> str:
    """Return a quote without what a model puts around it."""
    plain = "".join(filter(_is_seen, quote)).translate(_ALIKE).strip(_AROUND)
    return _OMITTED.sub("", plain)


def _is_seen(sign: str) -> bool:
    return sign.isascii() or not (
        unicodedata.category(sign) == "Cf" or "\ufe00" <= sign <= "\ufe0f"
    )
