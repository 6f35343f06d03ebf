"""W032: a site's own prompts are named, written and marked as they must be."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final, get_args

from django.core.checks import CheckMessage, register
from django.core.exceptions import ImproperlyConfigured
from django.template import TemplateDoesNotExist, TemplateSyntaxError, engines
from django.template.backends.django import DjangoTemplates
from django.template.loader import get_template

from nlweb_ask.ai.prompts import FOLDER, PromptName
from nlweb_ask.checks.table import TAG, nearest, report
from nlweb_ask.conf.failures import RAISED

UNTRUSTED: Final = "untrusted.txt"
NAMES: Final = tuple(f"{name}.txt" for name in get_args(PromptName))
OURS: Final = Path(__file__).parents[1] / "templates" / FOLDER
# Nothing that a site would write by itself.
_MARK: Final = "0f3c9ad17be25806"
_VARIABLES: Final = {
    "mark": _MARK,
    "kinds": ["question", "page"],
    "pages": 10,
    "passages": 10,
    "sentences": 6,
    "most_characters": 200,
    "most_options": 5,
}


@register(TAG)
def check_prompts_of_the_site(**_kwargs: Any) -> list[CheckMessage]:
    return [*_misnamed(), *_unusable()] if _are_found() else []


def _are_found() -> bool:
    """Tell whether templates are found at all: where not, more than prompts fails."""
    try:
        get_template(f"{FOLDER}/{UNTRUSTED}")
    except TemplateSyntaxError:
        return True
    except (TemplateDoesNotExist, ImproperlyConfigured, ImportError, OSError):
        return False
    return True


def _misnamed() -> Iterator[CheckMessage]:
    files = [path for folder in _folders() for path in sorted(folder.iterdir())]
    written = [path for path in files if path.is_file() and not _is_left_over(path)]
    for path in written:
        if path.name not in {*NAMES, UNTRUSTED} and not _is_included(path, written):
            hint = nearest(path.name, NAMES) or f"There are {', '.join(NAMES)}."
            yield report("W032", f"{path} is named like no prompt.", hint=hint)


def _folders() -> Iterator[Path]:
    """Yield the folders of prompts that templates are searched in, but not our own."""
    for engine in engines.all():
        dirs = {Path(each) for each in engine.template_dirs}
        if isinstance(engine, DjangoTemplates):
            dirs |= _searched(engine.engine.template_loaders)
        for folder in sorted(each / FOLDER for each in dirs):
            if folder.is_dir() and folder.resolve() != OURS.resolve():
                yield folder


def _searched(loaders: Sequence[Any]) -> set[Path]:
    """Return the folders of loaders that read files, and of those that these wrap."""
    dirs: set[Path] = set()
    for loader in loaders:
        if hasattr(loader, "get_dirs"):
            dirs |= {Path(each) for each in loader.get_dirs()}
        dirs |= _searched(getattr(loader, "loaders", ()))
    return dirs


def _is_left_over(path: Path) -> bool:
    """Tell a file of an editor or of the system."""
    return path.name.startswith(".") or path.name.endswith("~")


def _is_included(path: Path, written: Sequence[Path]) -> bool:
    """Tell whether a template beside it names it, as one that includes it does."""
    others = (each for each in written if each != path)
    return any(path.name in each.read_text(errors="replace") for each in others)


def _unusable() -> Iterator[CheckMessage]:
    fault, untrusted = _said(UNTRUSTED)
    if fault or _MARK not in untrusted:
        fault = fault or "does not name the {{ mark }}"
        yield _report(UNTRUSTED, fault)
        return
    for name in NAMES:
        fault, said = _said(name)
        if not fault and untrusted not in said:
            fault = "does not tell the model what was written by others"
        if fault:
            yield _report(name, fault)


def _said(name: str) -> tuple[str, str]:
    """Return what hinders a prompt from being written, if anything, and what it says."""
    try:
        said = get_template(f"{FOLDER}/{name}").render(_VARIABLES).strip()
    except TemplateSyntaxError as error:
        return f"has a mistake: {error}", ""
    except TemplateDoesNotExist as error:
        return f"cannot be written: there is no template {error}", ""
    except RAISED as error:  # a template may be the site's own
        return f"cannot be written: {type(error).__name__}", ""
    return ("", said) if said else ("is empty", "")


def _report(name: str, fault: str) -> CheckMessage:
    include = f'{{% include "{FOLDER}/{UNTRUSTED}" %}}'
    hint = f"Mend it, and keep {include} in it."
    if name == UNTRUSTED:
        hint = "Mend it, or take it away: the one of nlweb_ask counts then."
    return report("W032", f"The prompt {FOLDER}/{name} {fault}.", hint=hint)
