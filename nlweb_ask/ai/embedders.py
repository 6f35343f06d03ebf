"""What makes vectors of texts: a model in this process, or one behind the gateway."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Protocol

from django.core.exceptions import ImproperlyConfigured
from django.utils.module_loading import import_string

from nlweb_ask.conf import deployment
from nlweb_ask.plugins import Deadline, ModelUnavailable

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vectors = NDArray[np.float32]

# Of one call of a hosted model, whatever its entry says.
HOSTED_SECONDS: Final = 20.0


class Embedder(Protocol):
    """A model that makes vectors of texts in this process.

    An entry of `NLWEB_ASK["EMBEDDERS"]` names its class; what else stands in the entry
    is given to it as arguments. One instance a process, used by several threads.
    """

    name: str  # of model and version: vectors of two names are never compared
    width: int  # numbers a vector

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one vector a text, (number of texts, width), of any length.

        A text without words may give a vector of zeros: its page is not found by it.
        """


@dataclass(frozen=True)
class Chosen:
    """An embedder as a site has chosen it, by its label.

    `width` is 0 for a hosted model whose entry does not say it.
    """

    label: str
    name: str
    width: int
    is_hosted: bool
    make: Callable[[Sequence[str], int, float], Vectors]

    def embed(
        self, texts: Sequence[str], *, site_id: int, seconds: float = HOSTED_SECONDS
    ) -> Vectors:
        """Return one vector a text: of length 1, or all zeros where there is none.

        Args:
            texts: Any number.
            site_id: The site that pays where it costs something.
            seconds: How long a hosted model may take.

        Raises:
            ModelUnavailable: When it cannot be asked, or gives something else.
        """
        import numpy as np

        if not texts:
            return np.zeros((0, self.width), "f4")
        try:
            given = np.asarray(self.make(texts, site_id, seconds), "f8")
        except ModelUnavailable:
            raise
        except Exception as error:  # a class of the site, or a library of its own
            raise ModelUnavailable(reason="fault") from error
        if given.ndim != 2 or given.shape != (len(texts), self.width):
            raise ModelUnavailable(reason="fault")
        return unit(given)


def unit(vectors: NDArray[Any]) -> Vectors:
    """Bring each row to length 1; one that is zero, or not all numbers, becomes zeros."""
    import numpy as np

    rows = np.asarray(vectors, "f8")
    rows = np.where(np.isfinite(rows).all(axis=1, keepdims=True), rows, 0.0)
    # By the largest first: the squares of what is very small or great are no numbers.
    largest = np.abs(rows).max(axis=1, keepdims=True, initial=0.0)
    rows = np.divide(rows, largest, out=np.zeros_like(rows), where=largest > 0)
    lengths = np.sqrt((rows * rows).sum(axis=1, keepdims=True))
    unit_rows = np.divide(rows, lengths, out=np.zeros_like(rows), where=lengths > 0)
    return unit_rows.astype("f4")


def embedder(label: str = "") -> Chosen | None:
    """Return the embedder of a label, or the first one; None where there is none.

    Raises:
        ImproperlyConfigured: When its entry cannot be meant; the message says how to
            put it right.
    """
    entries = deployment().embedders
    label = label or next(iter(entries), "")
    if label not in entries:
        return None
    entry = entries[label]
    return _local(label, entry) if "class" in entry else _hosted(label, entry)


def _local(label: str, entry: Mapping[str, Any]) -> Chosen:
    options = tuple(sorted((k, v) for k, v in entry.items() if k != "class"))
    made = _instance(str(entry["class"]), options)
    return Chosen(
        label=label,
        name=made.name,
        width=made.width,
        is_hosted=False,
        make=lambda texts, _site_id, _seconds: made.embed(texts),
    )


@cache
def _instance(path: str, options: tuple[tuple[str, Any], ...]) -> Embedder:
    try:
        made = import_string(path)(**dict(options))
    except (ImportError, TypeError) as error:
        msg = f"NLWEB_ASK['EMBEDDERS'] names {path!r}, which cannot be made: {error}"
        raise ImproperlyConfigured(msg) from error
    name, width = getattr(made, "name", ""), getattr(made, "width", 0)
    if not (isinstance(name, str) and name and isinstance(width, int) and width > 0):
        msg = (
            f"NLWEB_ASK['EMBEDDERS'] names {path!r}, which has no name, or no width "
            "above 0."
        )
        raise ImproperlyConfigured(msg)
    return made  # type: ignore[no-any-return]


def _hosted(label: str, entry: Mapping[str, Any]) -> Chosen:
    raise NotImplementedError


class WordLlama:
    """The static model of the package wordllama: 256 numbers, mostly English.

    Its weights and its tokenizer lie in the wheel and are read from there. The package
    itself is not imported: it would look for its tokenizer on a hub, and set up logging.
    """

    name = "wordllama/l2_supercat_256"
    width = 256

    _WEIGHTS = "weights/l2_supercat_256.safetensors"
    _TOKENIZER = "tokenizers/l2_supercat_tokenizer_config.json"

    def __init__(self) -> None:
        self._lock = threading.Lock()
        spec = find_spec("wordllama")
        if spec is None or not spec.submodule_search_locations:
            msg = "install nlweb-ask[vectors]"
            raise ImportError(msg)
        self._folder = Path(next(iter(spec.submodule_search_locations)))

    def embed(self, texts: Sequence[str]) -> Vectors:
        import numpy as np

        tokens, tokenizer = self._model
        made = np.zeros((len(texts), self.width), "f4")
        for row, text in enumerate(texts):
            # One by one: a batch would start threads, which a fork does not survive.
            ids = tokenizer.encode(text, add_special_tokens=False).ids
            if ids:
                made[row] = tokens[ids].mean(axis=0, dtype="f4")
        return made

    @cached_property
    def _loaded(self) -> tuple[Any, Any]:
        weights = import_module("safetensors.numpy").load_file(
            self._folder / self._WEIGHTS
        )
        tokenizer = import_module("tokenizers").Tokenizer.from_file(
            str(self._folder / self._TOKENIZER)
        )
        tokenizer.no_padding()
        tokenizer.no_truncation()
        return weights["embedding.weight"], tokenizer

    @property
    def _model(self) -> tuple[Any, Any]:
        """The vectors of all tokens as float16, 16 MB, and what cuts texts into them."""
        with self._lock:
            return self._loaded


def deadline_in(seconds: float) -> Deadline:
    return Deadline(at=time.monotonic() + seconds, stop=threading.Event())
