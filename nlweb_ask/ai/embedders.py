"""What makes vectors of texts: a model in this process, or one behind the gateway."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from functools import cache, cached_property
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeVar

from django.core.exceptions import ImproperlyConfigured
from django.utils.module_loading import import_string
from django.views.decorators.debug import sensitive_variables

from nlweb_ask.ai.budget import Cost, Payer, reserve
from nlweb_ask.ai.providers import EmbeddingModel, embedding_model
from nlweb_ask.ai.settlement import LEASE_MARGIN_SECONDS, settled
from nlweb_ask.conf.failures import RAISED, described
from nlweb_ask.conf.providers import CLASS_KEY
from nlweb_ask.plugins import Deadline, ModelUnavailable

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vectors = NDArray[np.float32]


Given = TypeVar("Given")

logger = logging.getLogger("nlweb_ask.ai")

ROWS_AND_COLUMNS: Final = 2
# The first text of a process waits so long for litellm to be imported, as a question may
# take; the time of the model itself begins behind that.
IMPORT_SECONDS: Final = 120.0


class OtherWidth(ModelUnavailable):
    """An embedder gave vectors of another width than it was taken to make."""


class Embedder(Protocol):
    """A model that makes vectors of texts in this process.

    An entry of `NLWEB_ASK["EMBEDDERS"]` names its class; what else stands in the entry
    is given to it as arguments. One instance a process, used by several threads.

    It may have a number `least`: the cosine from which on a page has to do with a
    question, while no test on the site's own titles has been made.
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

    `width` is 0 for a hosted model whose entry does not say it, and `least` None for a
    model of whose cosines nothing is known.
    """

    label: str
    name: str
    width: int
    is_hosted: bool
    make: Callable[[Sequence[str], int], Vectors]
    least: float | None = None

    def embed(self, texts: Sequence[str], *, site_id: int) -> Vectors:
        """Return one vector a text: of length 1, or all zeros where there is none.

        Args:
            texts: Any number.
            site_id: The site that pays where it costs something.

        Raises:
            ModelUnavailable: When it cannot be asked, or gives something else.
        """
        import numpy as np

        if not texts:
            return np.zeros((0, self.width), "f4")
        given = self._table(self._made(texts, site_id))
        wrong = self._wrong_shape(given.shape, len(texts))
        if wrong is not None:
            raise self._logged(wrong)
        broken = len(texts) - int(np.isfinite(given).all(axis=1).sum())
        if broken:
            logger.warning(
                "embedder=%s: %d of %d vectors are no finite numbers, so that nothing"
                " is found by them",
                self.label,
                broken,
                len(texts),
            )
        return unit(given)

    def _made(self, texts: Sequence[str], site_id: int) -> Vectors:
        try:
            return self.make(texts, site_id)
        except ModelUnavailable:
            raise
        except RAISED as error:  # a class of the site, or a library of its own
            logger.error("embedder=%s failed: %s", self.label, described(error))  # noqa: TRY400 - its message may hold words of a page
            raise ModelUnavailable(
                reason="fault", detail=type(error).__name__
            ) from error

    def _table(self, given: Any) -> NDArray[Any]:
        import numpy as np

        try:
            return np.asarray(given, "f8")
        except (TypeError, ValueError, OverflowError):
            wrong = _useless("what it gives is no table of numbers")
        raise self._logged(wrong)

    def _wrong_shape(
        self, shape: tuple[int, ...], texts: int
    ) -> ModelUnavailable | None:
        """Return what is wrong with what was given for so many texts, if anything is."""
        if len(shape) != ROWS_AND_COLUMNS:
            return _useless(
                f"an array of shape {shape} for {texts} texts, not one row a text"
            )
        rows, width = shape
        if rows != texts:
            return _useless(f"{rows} vectors for {texts} texts")
        if not width:
            return _useless("vectors without numbers")
        if self.width not in {0, width}:
            detail = f"{width} numbers a vector, width is {self.width}"
            return OtherWidth(reason="fault", detail=detail)
        return None

    def _logged(self, wrong: ModelUnavailable) -> ModelUnavailable:
        logger.warning("embedder=%s is of no use: %s", self.label, wrong.detail)
        return wrong

    def measured(self, *, site_id: int) -> Chosen:
        """Return this embedder with its width; one that does not say it is asked once.

        Raises:
            ModelUnavailable: When it cannot be asked.
        """
        if self.width:
            return self
        return replace(self, width=self.embed(["."], site_id=site_id).shape[1])


def _useless(why: str) -> ModelUnavailable:
    return ModelUnavailable(reason="fault", detail=why)


# Nobody is named: the site itself pays, as for embedding its pages.
_SITE: Final = Payer(site_id=-1)
_paying: ContextVar[Payer | None] = ContextVar("nlweb_ask_paying", default=_SITE)


@contextmanager
def paid_by(payer: Payer | None) -> Iterator[None]:
    """Let what is embedded inside be paid by somebody; by nobody: it may cost nothing.

    For a question, whose visitor has a share of the budget, or may spend none. A model
    in this process costs nothing and is asked in any case.
    """
    token = _paying.set(payer)
    try:
        yield
    finally:
        _paying.reset(token)


def each_paid_by(payer: Payer | None, given: Iterator[Given]) -> Iterator[Given]:
    """Yield what is given; what is embedded while it is made is paid as `paid_by` says.

    While whoever reads it has one in hand, they pay for what they embed themselves.
    """
    while True:
        with paid_by(payer):
            try:
                one = next(given)
            except StopIteration:
                return
        yield one


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
    made: Vectors = unit_rows.astype("f4")
    return made


def embedder(label: str = "") -> Chosen | None:
    """Return the embedder of a label, or the first one; None where there is none.

    Raises:
        ImproperlyConfigured: When its entry cannot be meant; the message says how to
            put it right.
    """
    model = embedding_model(label)
    if model is None:
        return None
    return _local(model) if model.class_path else _hosted(model)


def _local(model: EmbeddingModel) -> Chosen:
    options = {name: value for name, value in model.extra.items() if name != CLASS_KEY}
    made = _instance(model.class_path, tuple(sorted(options.items())))
    return Chosen(
        label=model.label,
        name=made.name,
        width=made.width,
        is_hosted=False,
        make=lambda texts, _site_id: made.embed(texts),
        least=getattr(made, "least", None),
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


def _hosted(model: EmbeddingModel) -> Chosen:
    @sensitive_variables()
    def make(texts: Sequence[str], site_id: int) -> Vectors:
        import numpy as np

        batches = [
            _asked_for(model, texts[begin : begin + model.batch], site_id)
            for begin in range(0, len(texts), model.batch)
        ]
        return np.concatenate(batches)

    return Chosen(
        label=model.label,
        name=model.model,
        width=model.width or 0,
        is_hosted=True,
        make=make,
    )


@sensitive_variables()
def _asked_for(model: EmbeddingModel, texts: Sequence[str], site_id: int) -> Vectors:
    """Ask a hosted model once, out of what the site may spend."""
    from nlweb_ask.ai import gateway

    payer = _payer(site_id)
    if payer is None:
        raise ModelUnavailable(reason="off")
    worst = _worst_cost(model, texts)
    seconds = model.timeout + (0 if gateway.is_ready() else IMPORT_SECONDS)
    lease = reserve(payer, worst, seconds=seconds + LEASE_MARGIN_SECONDS)
    deadline = Deadline(at=time.monotonic() + seconds, stop=threading.Event())
    with settled(lease) as bill:
        embedded = gateway.embed(model, texts, deadline=deadline)
        bill.charge(embedded.usage)
    return embedded.vectors


def _payer(site_id: int) -> Payer | None:
    payer = _paying.get()
    return Payer(site_id=site_id) if payer is _SITE else payer


def _worst_cost(model: EmbeddingModel, texts: Sequence[str]) -> Cost:
    # A tokenizer makes at most one token of each byte.
    tokens = sum(len(text.encode("utf-8", "surrogatepass")) for text in texts)
    return Cost(calls=1, micros=model.cost_micros(tokens, 0))


class WordLlama:
    """The static model of the package wordllama: 256 numbers, mostly English.

    Its weights and its tokenizer lie in the wheel and are read from there. The package
    itself is not imported: it would look for its tokenizer on a hub, and set up logging.
    """

    name = "wordllama/l2_supercat_256"
    width = 256
    # Of the questions to one English collection of the tests, 96 % or more reach no page
    # of 15 of another one, and 71 to 95 % of those to its own reach their page.
    least = 0.4

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
