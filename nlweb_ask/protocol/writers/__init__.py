"""Answers in each dialect, written from the same events: messages here, transport in sse."""

from nlweb_ask.protocol.question import Question
from nlweb_ask.protocol.writers.encoding import dumps
from nlweb_ask.protocol.writers.failure import failure_document
from nlweb_ask.protocol.writers.folding import Unfinished
from nlweb_ask.protocol.writers.legacy import LegacyWriter
from nlweb_ask.protocol.writers.message import Message, Writer
from nlweb_ask.protocol.writers.sse import KEEPALIVE, encode
from nlweb_ask.protocol.writers.structured import (
    CHATGPT_APP,
    CONV_SEARCH,
    TYPESPEC,
    StructuredWriter,
)

__all__ = [
    "KEEPALIVE",
    "Message",
    "Unfinished",
    "Writer",
    "dumps",
    "encode",
    "failure_document",
    "writer_for",
]


def writer_for(question: Question) -> Writer:
    """Return the writer of the dialect in which `question` was asked.

    `question.mode` is the mode that will be used: older widgets need it before the
    first result is written.
    """
    if question.version == "0.1":
        return LegacyWriter(question)
    if question.response_format == "chatgpt_app":
        return StructuredWriter(question, CHATGPT_APP)
    shape = TYPESPEC if question.version == "0.5" else CONV_SEARCH
    return StructuredWriter(question, shape)
