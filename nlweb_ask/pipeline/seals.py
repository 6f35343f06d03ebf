"""Names for passages and their words that only this site can read or make.

A plain hash of a short passage could be tried out word by word, and the number of a page
counts those that nobody may see. So what leaves the site is sealed with its secret key.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from django.conf import settings
from django.utils.encoding import force_bytes

KEY_BYTES: Final = 16
ORDINAL_BYTES: Final = 4
TAG_BYTES: Final = 16


def sealed(document_key: str, ordinal: int) -> str:
    """Return the public name of a passage: the same for the same passage.

    The construction is SIV (Rogaway and Shrimpton, EUROCRYPT 2006) with HMAC-SHA256 for
    both of its functions: a tag over the name, and the name under a pad made of the tag.
    """
    name = bytes.fromhex(document_key) + ordinal.to_bytes(ORDINAL_BYTES, "big")
    secret = next(_secrets())
    tag = _keyed(secret, b"tag", name)
    return base64.urlsafe_b64encode(tag + _under_pad(secret, tag, name)).decode()


def opened(passage: str) -> tuple[str, int] | None:
    """Return the key of the document and the ordinal of the passage that is named so.

    None for a name that this site did not give, with this secret key or a fallback.
    """
    try:
        token = base64.b64decode(passage.encode("ascii"), altchars=b"-_", validate=True)
    except (UnicodeEncodeError, binascii.Error):
        return None
    tag, hidden = token[:TAG_BYTES], token[TAG_BYTES:]
    if len(hidden) != KEY_BYTES + ORDINAL_BYTES:
        return None
    for secret in _secrets():
        name = _under_pad(secret, tag, hidden)
        if hmac.compare_digest(tag, _keyed(secret, b"tag", name)):
            return name[:KEY_BYTES].hex(), int.from_bytes(name[KEY_BYTES:], "big")
    return None


def words_seals(document_key: str, words_hash: str) -> Iterator[str]:
    """Yield what stands for the words of a passage, by each secret key, newest first.

    Of the same words in two pages it differs: it tells nothing about another page.
    """
    words = f"{document_key}:{words_hash}".encode()
    for secret in _secrets():
        yield _keyed(secret, b"words", words).hex()


def _under_pad(secret: bytes, tag: bytes, name: bytes) -> bytes:
    pad = hmac.digest(secret, b"pad" + tag, "sha256")
    return bytes(one ^ other for one, other in zip(name, pad, strict=False))


def _keyed(secret: bytes, what: bytes, value: bytes) -> bytes:
    return hmac.digest(secret, what + value, "sha256")[:TAG_BYTES]


def _secrets() -> Iterator[bytes]:
    for secret_key in (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS):
        yield _secret(force_bytes(secret_key))


@lru_cache(maxsize=8)
def _secret(secret_key: bytes) -> bytes:
    return hashlib.sha256(b"nlweb_ask.receipts" + secret_key).digest()
