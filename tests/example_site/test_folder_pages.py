from __future__ import annotations

import pytest
from django.urls import reverse

from example_site.markdown import render


def html(text: str) -> str:
    return str(render(text, [("Before you start", "before-you-start")], "/manual/how/"))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("---\naccess: public\n---\nHello", "<p>Hello</p>\n", id="header"),
        pytest.param("# Title\n\nHello\n", "<p>Hello</p>\n", id="title"),
        pytest.param(
            'import { A } from "./a";\n\nHello', "<p>Hello</p>\n", id="import-line"
        ),
        pytest.param(
            '<Card title="x">\n  Hello\n</Card>', "<p>Hello</p>\n", id="component"
        ),
        pytest.param(
            "## Before you start",
            '<h2 id="before-you-start">Before you start</h2>\n',
            id="anchor-of-the-index",
        ),
        pytest.param(
            "[x](../tutorial.md#two)",
            '<p><a href="/manual/tutorial/#two">x</a></p>\n',
            id="link-to-a-file",
        ),
        pytest.param(
            "```python\nfrom a import b\nimport c from d\n```",
            '<pre><code class="language-python">from a import b\nimport c from d\n'
            "</code></pre>\n",
            id="code-stays-whole",
        ),
        pytest.param(
            "```{code-block} python\n:caption: a.py\n\nx = 1\n```",
            '<pre><code class="language-python">x = 1\n</code></pre>\n',
            id="directive",
        ),
        pytest.param(
            "a <script>alert(1)</script>",
            "<p>a &lt;script&gt;alert(1)&lt;/script&gt;</p>\n",
            id="html-is-shown-not-obeyed",
        ),
    ],
)
def test_markdown_is_shown_without_what_is_for_other_tools(text, expected):
    assert html(text) == expected


def test_headings_of_a_page_have_the_anchors_of_its_passages(client_of):
    from nlweb_ask.models import Passage

    client = client_of("admin")
    stored = Passage.objects.exclude(anchor="").select_related("document")
    passages = stored.exclude(document__url="/manual/")  # a list of the others
    pages = {url: client.get(url).content.decode() for url in _urls(passages)}
    missing = [
        (passage.document.url, passage.anchor)
        for passage in passages
        if f'id="{passage.anchor}"' not in pages[passage.document.url]
    ]
    assert passages
    assert missing == []


def _urls(passages) -> set[str]:
    return {passage.document.url for passage in passages}


def test_links_between_pages_of_the_manual_lead_somewhere(client_of):
    client = client_of("anonymous")
    assert client.get("/manual/tutorial/").status_code == 200
    assert "/manual/tutorial/" in client.get(reverse("manual")).content.decode()


def test_page_in_another_language_says_so(client_of):
    page = client_of("anonymous").get("/handbook/bienvenue/").content.decode()
    assert 'lang="fr"' in page
