"""Errors of the way of a question.

    AskError
    ├── PluginFailed       a plug-in raised; `plugin` names it, the cause is chained
    ├── PermissionFailed   a source's `visible_ids` raised: nothing may be shown
    ├── IndexUnavailable   the index cannot be read (not migrated, too busy)
    ├── ModelUnavailable   no language model may or can be asked; `reason` says why
    └── Ended              not a fault: a processor ends the question early

A `SourceFault` is raised off that way, where the site is indexed. Wrong configuration is Django's `ImproperlyConfigured`; what a caller did wrong is a
`nlweb_ask.protocol.errors.Refusal`.
"""

from __future__ import annotations

from typing import Literal

from nlweb_ask.protocol.events import Ending

NoModel = Literal[
    "off",  # none is set up, the owner has switched them off, or it may not be asked here
    "budget",  # what may be spent is spent
    "busy",  # it is asked too much by others
    "time",  # it did not answer in time
    "fault",  # it could not be reached, refused, or answered what nobody can read
    "private",  # no page may be shown to it
    "wordless",  # the pages that may be shown to it have no words
    "stopped",  # nobody waits for the answer any more
]


class AskError(Exception):
    """Base of all errors raised on the way of a question."""


class PluginFailed(AskError):
    """A plug-in raised an exception; the pipeline's policy decides what follows."""

    def __init__(self, plugin: str) -> None:
        super().__init__(f"The plug-in {plugin!r} failed.")
        self.plugin = plugin


class PermissionFailed(AskError):
    """A permission hook failed, so nothing at all may be shown."""

    def __init__(self, source: str) -> None:
        super().__init__(f"The source {source!r} could not say who may see its pages.")
        self.source = source


class IndexUnavailable(AskError):
    """The index could not be read consistently."""


class ModelUnavailable(AskError):
    """No language model answers this step of the question.

    It says nothing of what a provider said: that may hold addresses and keys.

    Args:
        reason: What a visitor may be told.
        detail: What whoever runs the site is told besides, in words of ours.
    """

    def __init__(self, *, reason: NoModel, detail: str = "") -> None:
        super().__init__(reason)
        self.reason = reason
        self.detail = detail


class SourceFault(Exception):
    """A source is not as it must be.

    The message is logged and stored: it names code, fields and folders, and holds no
    words of a page.
    """


class Ended(AskError):
    """Raised by a processor to end the question with a failure or an elicitation."""

    def __init__(self, event: Ending) -> None:
        super().__init__(type(event).__name__)
        self.event = event
