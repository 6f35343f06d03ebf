"""Forms as a browser's FormData sends them."""

from __future__ import annotations

import io
import os
import uuid

import pytest
from django.test.client import encode_multipart
from hypothesis import given, settings
from hypothesis import strategies as st

from nlweb_ask.protocol.errors import InvalidRequest, Refusal
from nlweb_ask.protocol.multipart import text_fields
from nlweb_ask.protocol.reader import RawRequest, read_question

EXAMPLES = int(os.environ.get("PROPERTY_EXAMPLES", "400"))
BOUNDARY = "----WebKitFormBoundaryQ7"
FORM = f"multipart/form-data; boundary={BOUNDARY}"

many = settings(max_examples=EXAMPLES, deadline=None)


def part(name, text, more=""):
    return f'Content-Disposition: form-data; name="{name}"{more}\r\n\r\n{text}'


def form(*parts, boundary=BOUNDARY):
    joined = "".join(f"--{boundary}\r\n{each}\r\n" for each in parts)
    return f"{joined}--{boundary}--\r\n".encode()


def read(body, content_type=FORM, **request):
    return read_question(RawRequest(body=body, content_type=content_type, **request))


def test_form_data_is_read_like_a_query_string():
    pairs = [("query", "café & more"), ("site", "blog"), ("site", "shop")]

    in_url = read_question(RawRequest(method="GET", query=pairs))

    assert read(form(*(part(*pair) for pair in pairs))) == in_url


def test_file_in_a_form_is_left_alone():
    picture = part("query", "PNG", '; filename="a.png"\r\nContent-Type: image/png')
    body = form(part("query", "soup"), picture).replace(b"PNG", b"\x89PNG\xff")

    question = read(body)

    assert (question.text, question.version) == ("soup", "0.1")


def test_form_of_another_writer_is_read():
    boundary = "a quoted:boundary"
    upload = io.BytesIO(b"\xff")
    upload.name = "x.bin"
    body = encode_multipart(boundary, {"query": "soup\r\nof lentils", "file": upload})

    question = read(body, f'Multipart/Form-Data; Boundary="{boundary}"; charset=utf-8')

    assert question.text == "soup  of lentils"


def test_names_are_read_as_browsers_write_them():
    body = form(part("a%22b%0D%0A", "1"), part(r"c\"d\\", "2"), part("", "3"))

    assert text_fields(body, FORM, 3) == [('a"b\r\n', "1"), ('c"d\\', "2"), ("", "3")]


def test_text_before_the_first_part_and_after_the_last_is_left_alone():
    body = b"preamble\r\n" + form(part("query", "soup")) + b"epilogue"

    assert read(body).text == "soup"


def test_empty_form_asks_nothing():
    with pytest.raises(Refusal) as caught:
        read(form())

    assert (caught.value.code, caught.value.version) == ("MISSING_FIELD", "0.1")


GOOD = form(part("query", "soup"))


@pytest.mark.parametrize(
    ("body", "content_type"),
    [
        pytest.param(GOOD, "multipart/form-data", id="no-boundary"),
        pytest.param(GOOD, "multipart/form-data; boundary=", id="empty-boundary"),
        pytest.param(GOOD, "multipart/form-data; boundary=other", id="another"),
        pytest.param(GOOD, f"multipart/form-data; boundary={'x' * 71}", id="too-long"),
        pytest.param(GOOD.removesuffix(b"--\r\n"), FORM, id="not-ended"),
        pytest.param(GOOD.replace(b"soup", b"\xff"), FORM, id="not-utf-8"),
        pytest.param(GOOD.replace(b"query", b"\xff"), FORM, id="name-not-utf-8"),
        pytest.param(GOOD.replace(b'name="query"', b""), FORM, id="no-name"),
        pytest.param(GOOD.replace(b"Content-D", b"D"), FORM, id="no-disposition"),
        pytest.param(GOOD.replace(b"\r\n\r\n", b"\r\n"), FORM, id="no-blank-line"),
        pytest.param(GOOD.replace(b"\r\n", b"\n"), FORM, id="line-feeds-only"),
        pytest.param(b"", FORM, id="empty"),
    ],
)
def test_form_that_is_not_put_together_right_is_refused_as_0_1(body, content_type):
    with pytest.raises(InvalidRequest) as caught:
        read(body, content_type)

    assert caught.value.version == "0.1"


def test_form_of_too_many_parts_is_refused():
    body = form(*[part("a", "")] * 4)

    assert len(text_fields(body, FORM, 4)) == 4
    with pytest.raises(InvalidRequest):
        text_fields(body, FORM, 3)


def test_json_that_is_labelled_as_form_data_is_read_as_json():
    assert read(b'{"query":{"text":"soup"}}').version == "0.55"


junk = st.binary(max_size=60) | st.sampled_from(
    [
        b"\r\n--X",
        b"--X\r\n",
        b"--X--",
        b"\r\n\r\n",
        b'Content-Disposition: form-data; name="query"',
        b'; name="',
        b"; filename=",
        b"\\",
    ]
)


def outcome(body, content_type):
    try:
        return read(body, content_type).text.strip()
    except Refusal as refusal:
        return refusal.status


@many
@given(body=st.lists(junk, max_size=12).map(b"".join), header=st.text(max_size=40))
def test_junk_is_read_or_refused(body, header):
    for parameter in ("boundary=X", header):
        read_as = outcome(body, f"multipart/form-data; {parameter}")
        assert read_as == 400 or (isinstance(read_as, str) and read_as)


letters = st.text(st.characters(codec="utf-8"), max_size=30)


@many
@given(pairs=st.lists(st.tuples(letters, letters), max_size=6))
def test_every_text_comes_through(pairs):
    boundary = uuid.uuid4().hex
    escapes = {'"': "%22", "\r": "%0D", "\n": "%0A", "\\": "\\\\"}
    names = ["".join(escapes.get(sign, sign) for sign in name) for name, _ in pairs]
    body = form(
        *(part(name, text) for name, (_, text) in zip(names, pairs, strict=True)),
        boundary=boundary,
    )

    found = text_fields(body, f"multipart/form-data; boundary={boundary}", 10)

    literal = ("%22", "%0d", "%0a")
    if not any(mark in name.lower() for name, _ in pairs for mark in literal):
        assert found == pairs
    assert [text for _, text in found] == [text for _, text in pairs]
