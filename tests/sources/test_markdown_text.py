from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nlweb_ask.sources.html_cost import UnreadableHtml
from nlweb_ask.sources.markdown_text import MarkdownReader
from nlweb_ask.sources.mdx import MdxError

MDX = MarkdownReader({"Secret", "Staff.Note"}, mdx=True)
MARKDOWN = MarkdownReader({"Secret", "Staff.Note"}, mdx=False)


def words(body: str, reader: MarkdownReader = MDX) -> str:
    """Return everything that would be indexed, headings in square brackets."""
    return "\n".join(
        f"[{section.heading}]\n{section.text}" if section.heading else section.text
        for section in reader.sections(body)
    )


GUIDE = """\
import Aside from './Aside.astro';
import './print.css';

export const level = 3;

Use the image `quay:v{TAG}` and `<TOKEN>`.

<Aside type="tip">Use a **soft brush**.</Aside>

```python
# Mooring
import quay
export = quay.load()
```
"""


def test_code_stays_whole_and_component_noise_goes():
    [section] = MDX.sections(GUIDE)
    assert section.text == (
        "Use the image quay:v{TAG} and <TOKEN>.\n"
        "Use a soft brush.\n"
        "# Mooring\nimport quay\nexport = quay.load()"
    )


@pytest.mark.parametrize(
    ("body", "text"),
    [
        pytest.param(
            "export const a = {\n  b: 'it\\'s }',\n\n  c: `}\n${'`'}`, // }\n}\n\nText",
            "Text",
            id="an-export-over-several-lines",
        ),
        pytest.param(
            "import a from 'a'\n# Title\n\nText", "[Title]\nText", id="a-heading"
        ),
        pytest.param(
            "export default ({ children }) => (\n  <div>{children}</div>\n)\n\nText",
            "Text",
            id="a-layout",
        ),
        pytest.param("Import duties are paid", "Import duties are paid", id="prose"),
        pytest.param(
            "import duties are due", "import duties are due", id="lower-prose"
        ),
        pytest.param("export licences", "export licences", id="export-in-prose"),
        pytest.param("- import a from 'b'", "import a from 'b'", id="in-a-list"),
        pytest.param("a {/* x */} b", "a b", id="comment-in-a-line"),
        pytest.param("a\n\n{/*\nx\n\ny\n*/}\n\nb", "a\nb", id="comment-as-a-block"),
        pytest.param("a <!-- x --> b", "a b", id="html-comment-in-a-line"),
        pytest.param(
            "a\n\n<!--\nx\n\n```\n-->\n\nb", "a\nb", id="html-comment-as-a-block"
        ),
        pytest.param("<!-- x --> b", "b", id="words-behind-a-comment"),
        pytest.param("a <!-- x\n\ny --> b", "a\nb", id="comment-over-paragraphs"),
        pytest.param("a <!-- b", "a <!-- b", id="no-comment"),
        pytest.param("a\n\n<!-- b\n\nc", "a", id="comment-to-the-end"),
        pytest.param("a {1 + 1} b {'c'} {\"d\"}", "a b c d", id="expressions"),
        pytest.param("{props.map(p => <b>{p}</b>)}", "", id="an-expression-with-tags"),
        pytest.param("a \\{b\\} \\<c>", "a {b} <c>", id="escapes"),
        pytest.param("a < b, 3 <5", "a < b, 3 <5", id="lone-signs"),
        pytest.param(
            "<Tabs items={['a',\n\n'>']} {...rest}>\n<Tab>\n\nx\n\n</Tab>\n</Tabs>",
            "x",
            id="attributes-over-several-lines",
        ),
        pytest.param(
            "<Tab>\n    ```js\n    import a\n    ```\n\n    deep\n</Tab>",
            "import a\ndeep",
            id="children-may-be-indented",
        ),
        pytest.param("<Card>a</Card><Card>b</Card>", "a b", id="words-do-not-join"),
        pytest.param("<div>a</div><div>b</div> <b>c</b>d", "a\nb\ncd", id="elements"),
        pytest.param("<>a</> <A.B c='>'>d</A.B>", "a d", id="fragments-and-members"),
        pytest.param(
            "<table><tbody><tr><td>a</td><td>b</td></tr></tbody></table>",
            "a | b",
            id="table",
        ),
        pytest.param(
            "```jsx\n<Secret>a</Secret>\n```", "<Secret>a</Secret>", id="fence"
        ),
        pytest.param("`<Secret>a`", "<Secret>a", id="inline-code"),
        pytest.param(
            "> ```\n> a\n\nb <Secret>x</Secret>", "a\nb", id="fence-in-a-quote"
        ),
        pytest.param("- ```\n  a\n\nb {/* x */}", "a\nb", id="fence-in-a-list"),
        pytest.param("> <Tab>\n> a\n> </Tab>\n\nb", "a\nb", id="component-in-a-quote"),
        pytest.param("- a\n\n  {/* x */}\n\n  b", "a\nb", id="comment-in-a-list"),
    ],
)
def test_mdx_is_read_without_its_javascript(body, text):
    assert words(body) == text


HIDDEN = [
    "<Secret>x</Secret>",
    "<Secret a={1}>x<b>x</b>\nx</Secret>",
    "<Secret>x<Secret>x</Secret>x</Secret>",
    "<Secret/>",
    "<Staff.Note>x</Staff.Note>",
    "<Secret>\n\n## x\n\n```\nx\n```\n\n| x |\n|---|\n| x |\n\n</Secret>",
    "<Secret>x\n\nx</Secret>",
    "<Secret>\n\n```\n</Secret>\n```\n\nx\n\n</Secret>",
]


@pytest.mark.parametrize("reader", [MDX, MARKDOWN], ids=["mdx", "md"])
@pytest.mark.parametrize("hidden", HIDDEN)
def test_hidden_components_go_with_their_content(hidden, reader):
    sections = reader.sections(f"a {hidden} b\n\n## Other\n\nc")
    assert "x" not in words(f"a {hidden} b\n\n## Other\n\nc", reader)
    assert sections == reader.sections("a\n\nb\n\n## Other\n\nc") or sections == (
        reader.sections("a b\n\n## Other\n\nc")
    )


@pytest.mark.parametrize(
    "hidden",
    [
        "<script>x</script>",
        "<style>{`x`}</style>",
        "<p hidden>x</p>",
        "<p hidden={true}>x</p>",
        "<Tab hidden>x</Tab>",
        "<p aria-hidden='true'>x</p>",
        "<p aria-hidden={true}>x</p>",
        "<p style={{display: 'none'}}>x</p>",
        "<p style={{color: 'red', fontSize: 0}}>x</p>",
        "<p style='display:none'>x</p>",
        "<p data-nlweb-ignore>x</p>",
    ],
)
def test_hidden_elements_of_mdx_go_with_their_content(hidden):
    assert "x" not in words(f"a\n\n{hidden}\n\nb")
    assert "x" not in words(f"a {hidden} b")


@pytest.mark.parametrize(
    "shown", ["<p hidden={false}>x</p>", "<p style={{color: 'red'}}>x</p>"]
)
def test_elements_of_mdx_that_are_not_hidden_stay(shown):
    assert words(shown) == "x"


@pytest.mark.parametrize(
    "hidden",
    [
        "<div>\n<Secret>x</Secret>\n</div>",
        "<div><Secret>\n\nx\n\n</Secret></div>",
        "<!-- x -->",
        "<!--\nx\n\nx\n-->",
        "<p hidden>x</p>",
        "<script>\nx\n</script>",
    ],
)
def test_hidden_parts_of_plain_markdown_are_left_out(hidden):
    assert words(f"a\n\n{hidden}\n\nb", MARKDOWN) == "a\nb"


@pytest.mark.parametrize(
    "body",
    [
        pytest.param("a <Foo b", id="a-tag-without-end"),
        pytest.param("<Foo b='c", id="an-attribute-without-end"),
        pytest.param("a {b", id="a-brace-without-end"),
        pytest.param("{/* x", id="a-comment-without-end"),
        pytest.param("export const a = {\n\nb", id="an-export-without-end"),
        pytest.param("<Secret>x", id="a-hidden-component-without-end"),
        pytest.param("<Secret>\n\n```\n</Secret>\n", id="an-end-inside-code"),
    ],
)
def test_a_page_that_could_not_be_compiled_is_refused(body):
    with pytest.raises(MdxError):
        MDX.sections(body)


def test_plain_markdown_refuses_only_a_hidden_component_without_end():
    assert words("a {b <Foo c\n\nimport x from 'y'", MARKDOWN) == (
        "a {b <Foo c\nimport x from 'y'"
    )
    with pytest.raises(MdxError):
        MARKDOWN.sections("<Secret>x")


# MyST and Sphinx


@pytest.mark.parametrize(
    ("body", "text"),
    [
        pytest.param("```{note}\nMind *this*.\n```", "Mind this.", id="directive"),
        pytest.param("```{note} Mind this.\n```", "Mind this.", id="first-line"),
        pytest.param("```{tip}\n:class: x\n\nA\n```", "A", id="options"),
        pytest.param("```{tip}\n---\nclass: x\n---\nA\n```", "A", id="yaml-options"),
        pytest.param(
            "````{note} T\nA\n```{code-block} python\n:linenos:\n\nimport x\n```\n````",
            "T\nA\n\nimport x",
            id="nested",
        ),
        pytest.param("```{toctree}\na\nb\n```", "", id="toctree"),
        pytest.param("```{only} internal\na\n```", "", id="only"),
        pytest.param("```{figure} a.png\nCaption\n```", "Caption", id="figure"),
        pytest.param("```python\n{note}\n```", "{note}", id="plain-code"),
        pytest.param(":::{tip} T\n:class: x\nA\n:::", "T\nA", id="colon-fence"),
        pytest.param(":::tip[My *t*]\nA\n:::", "My t\nA", id="docusaurus"),
        pytest.param(":::note\nA\n:::\nB", "A\nB", id="without-title"),
        pytest.param("::::a X\n:::b Y\nZ\n:::\n::::", "X\nY\nZ", id="nested-colons"),
        pytest.param(":::{code-block} c\na {b}\n:::\nB", "a {b}\nB", id="colon-code"),
        pytest.param(":::{toctree}\na\n:::\nB", "B", id="colon-toctree"),
        pytest.param("A:::b", "A:::b", id="colons-in-a-line"),
    ],
)
@pytest.mark.parametrize("reader", [MDX, MARKDOWN], ids=["mdx", "md"])
def test_directives_read_as_their_content(body, text, reader):
    assert words(body, reader) == text


@pytest.mark.parametrize(
    ("body", "text"),
    [
        ("See {ref}`the ropes <ropes>`.", "See the ropes."),
        ("See {ref}`ropes`.", "See ropes."),
        ("{py:class}`~a.b.Rope`", "Rope"),
        ("{py:class}`a.b.Rope`", "a.b.Rope"),
        ("{kbd}``Ctrl`C``", "Ctrl`C"),
        ("{ref} `x`", "{ref} x"),
        ("{ref}`x", "{ref}`x"),
        ("{{ version }}", "{{ version }}"),
        ("(ropes)=\n# Ropes\n\nA", "[Ropes]\nA"),
        ("% a note\n\nA\n\n+++\n\nB", "A\nB"),
        ("A\n% of B", "A\n% of B"),
    ],
)
def test_roles_and_marks_of_myst_read_as_text(body, text):
    assert words(body, MARKDOWN).replace("\n%", " %") == text.replace("\n%", " %")


# Sections


def test_headings_become_sections_with_stable_unique_anchors():
    body = (
        "intro\n\n# Ropes\n\na\n\n## Wet ropes\n\nb\n\n## Wet ropes\n\nc\n\n"
        "## Knots {#my-knots}\n\nd\n\nSetext\n------\n\ne\n\n> ## Quoted\n>\n> f"
    )
    for reader in (MDX, MARKDOWN):
        assert [(s.heading, s.anchor, s.text) for s in reader.sections(body)] == [
            ("", "", "intro"),
            ("Ropes", "ropes", "a"),
            ("Wet ropes", "wet-ropes", "b"),
            ("Wet ropes", "wet-ropes-1", "c"),
            ("Knots", "my-knots", "d"),
            ("Setext", "setext", "e"),
            ("Quoted", "quoted", "f"),
        ]


def test_hidden_headings_do_not_move_anchors():
    shown = "## Plan\n\na\n\n## Plan\n\nb"
    hidden = "<Secret>\n\n## Plan\n\nx\n\n## Plan {#plan-1}\n\n</Secret>\n\n"
    for reader in (MDX, MARKDOWN):
        assert reader.sections(hidden + shown) == reader.sections(shown)


def test_rules_inside_a_page_divide_nothing():
    assert words("a\n\n---\n\nb\n\n---\n\nc", MARKDOWN) == "a\nb\nc"


def test_links_and_pictures_read_as_their_words():
    body = "A [*link*](https://x.example/y) and ![a picture](p.png) [r][1]\n\n[1]: /z"
    assert words(body, MARKDOWN) == "A link and r"


def test_a_table_reads_row_by_row():
    assert words("| a | b |\n|---|---|\n| 1 | 2 |", MARKDOWN) == "a | b\n1 | 2"


@settings(max_examples=300)
@given(
    st.text(alphabet="<>{}/`'\"*#:-=! \nabS\\|")
    | st.lists(
        st.sampled_from(
            [
                "<Secret>",
                "</Secret>",
                "<A b={",
                "}>",
                "{/*",
                "*/}",
                "<!--",
                "-->",
                "```",
                "\n\n",
                "\n",
                ":::",
                "`",
                "import a",
                "export ",
                "# ",
                "> ",
                "- ",
                "    ",
                "{note}",
                "word",
            ]
        ),
        max_size=14,
    ).map("".join)
)
def test_any_text_is_read_or_refused_with_a_reason(body):
    for reader in (MDX, MARKDOWN):
        try:
            sections = reader.sections(body)
        except (MdxError, UnreadableHtml) as error:
            assert str(error)  # noqa: PT017
            continue
        anchors = [section.anchor for section in sections if section.anchor]
        assert len(anchors) == len(set(anchors))


@settings(max_examples=300)
@given(
    st.lists(
        st.sampled_from(
            [
                "<Tab>",
                "</Tab>",
                "<b>",
                "</b>",
                "```",
                "~~~",
                "\n\n",
                "\n",
                "\n> ",
                "\n- ",
                "\n  ",
                ":::",
                "`",
                "*",
                "word",
                "# ",
                "1. ",
                "    ",
                "<p>",
                "</p>",
                "[a]",
                "(b)",
                "\\",
            ]
        ),
        max_size=16,
    ).map("".join)
)
def test_words_between_hidden_tags_on_their_own_lines_are_never_read(around):
    body = f"{around}\n\n<Secret>\n\nquokka\n\n</Secret>\n\n"
    for reader in (MDX, MARKDOWN):
        try:
            text = words(body, reader)
        except MdxError:
            continue
        # Inside code the tags are text, and so is what stands between them.
        assert "quokka" not in text or "<Secret>" in text
