from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from nlweb_ask.sources.front_matter import FrontMatter, PageClosed, read_front_matter
from nlweb_ask.sources.page_access import Access, read_access
from nlweb_ask.sources.strict_yaml import NotPlainYaml, read_yaml

BODY = "# Ropes\n\nWet ones.\n"


def page(header: str) -> str:
    return f"---\n{header}\n---\n{BODY}"


def header_of(text: str) -> FrontMatter:
    header, body = read_front_matter(text)
    assert body == BODY
    return header


def test_a_tidy_header_is_read_as_it_stands():
    header = header_of(
        page(
            "# a comment\ntitle: Ropes\ndescription: 'Wet: and dry'\n"
            'slug: rigging/ropes\nlang: pt-BR\nversion: 1.10\naccess: "group:Deck crew"'
        )
    )
    assert header == FrontMatter(
        title="Ropes",
        description="Wet: and dry",
        slug="rigging/ropes",
        language="pt-BR",
        version="1.10",
        access=Access("group", "Deck crew"),
    )


@pytest.mark.parametrize(
    ("text", "body"),
    [
        pytest.param(BODY, BODY, id="no-header"),
        pytest.param("a\n\n---\n\nb\n", "a\n\n---\n\nb\n", id="a-rule-further-down"),
        pytest.param("\ufeffa\n", "a\n", id="a-byte-order-mark-before-text"),
        pytest.param("", "", id="an-empty-file"),
        pytest.param("---\n---\na", "a", id="an-empty-header"),
        pytest.param("--- \n--- \na", "a", id="spaces-behind-the-fences"),
        pytest.param(
            "Access: by the side door, all day.\n",
            "Access: by the side door, all day.\n",
            id="prose-about-an-access",
        ),
        pytest.param(
            "Say who reads it:\n\naccess: login\n",
            "Say who reads it:\n\naccess: login\n",
            id="an-access-line-below-the-first-paragraph",
        ),
    ],
)
def test_without_a_rule_of_its_own_a_page_has_the_folders(text, body):
    assert read_front_matter(text) == (FrontMatter(), body)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("\ufeff" + page("access: login"), id="byte-order-mark"),
        pytest.param(page("access: login").replace("\n", "\r\n"), id="crlf"),
        pytest.param("---\naccess: login\r\n---\n", id="crlf-in-one-line"),
        pytest.param("\n" + page("access: login"), id="blank-line-before"),
        pytest.param("  \n" + page("title: x"), id="line-of-spaces-before"),
        pytest.param(" ---\naccess: login\n---\n", id="indented-fence"),
        pytest.param("----\naccess: login\n---\n", id="fence-of-four"),
        pytest.param("---\naccess: login\n", id="not-closed"),
        pytest.param("---\naccess: login\n...\n", id="closed-otherwise"),
        pytest.param("---\ntitle: x\n\nText of the page.\n\n---\n", id="closed-late"),
        pytest.param("---\n" + "# x\n" * 3000 + "---\n", id="longer-than-8-kb"),
        pytest.param("+++\naccess = 'login'\n+++\n", id="toml"),
        pytest.param("access: login\n---\n\nText", id="opening-fence-lost"),
        pytest.param('{"title": "x",\n"access": "login"}\n\nText', id="json"),
        pytest.param("<!--\naccess: login\n-->\n", id="header-in-a-comment"),
        pytest.param(page("acces: login"), id="unknown-key"),
        pytest.param(page("Access: login"), id="unknown-case"),
        pytest.param(page("tags: [a]"), id="unknown-list"),
        pytest.param(page("access: login\naccess: public"), id="doubled-access"),
        pytest.param(page("title: a\ntitle: b"), id="doubled-title"),
        pytest.param(page('access: login\n"access": public'), id="doubled-quoted"),
        pytest.param(page("access: no"), id="no"),
        pytest.param(page("access: false"), id="false"),
        pytest.param(page("access:"), id="empty"),
        pytest.param(page("access: Public"), id="another-case"),
        pytest.param(page("access: [public]"), id="a-list"),
        pytest.param(page("access: {public: yes}"), id="a-mapping"),
        pytest.param(page("access: group:"), id="group-without-name"),
        pytest.param(page('access: "group: crew"'), id="group-with-space"),
        pytest.param(page("access: group: crew"), id="group-in-two"),
        pytest.param(page("access: public login"), id="two-words"),
        pytest.param(page("access:login"), id="no-space"),
        pytest.param(page(" access: login\ntitle: x"), id="indented"),
        pytest.param(page("access: &a login"), id="anchor"),
        pytest.param(page("title: &a x"), id="anchor-elsewhere"),
        pytest.param(page("title: x\ndescription: *x"), id="alias"),
        pytest.param(page("access: !!str login"), id="tag"),
        pytest.param(page("<<: {access: public}"), id="merge-key"),
        pytest.param(page("title: x\n--- \naccess: login"), id="access-behind-the-end"),
        pytest.param(page("description: |\n  x\n  access: login"), id="in-a-block"),
        pytest.param(page('description: "x\n  access: login"'), id="in-quotes"),
        pytest.param(page("title:\n  access: login"), id="nested"),
        pytest.param(page("just text"), id="no-mapping"),
        pytest.param(page('version: "a\\0b"'), id="escaped-nul"),
        pytest.param(page('version: "a\\uD800b"'), id="escaped-surrogate"),
        pytest.param(page("- title: x"), id="a-list-of-keys"),
        pytest.param(page("slug: https://evil.example/"), id="slug-with-scheme"),
        pytest.param(page("slug: //evil.example"), id="slug-with-host"),
        pytest.param(page("slug: a//b"), id="slug-with-empty-part"),
        pytest.param(page("slug: ../admin"), id="slug-upwards"),
        pytest.param(page("slug: a/../../b"), id="slug-upwards-inside"),
        pytest.param(page("slug: javascript:x"), id="slug-with-colon"),
        pytest.param(page("slug: a?b"), id="slug-with-query"),
        pytest.param(page("slug: 'a\\b'"), id="slug-with-backslash"),
        pytest.param(page("slug: '%2e%2e/x'"), id="slug-encoded"),
        pytest.param(page("slug: [a]"), id="slug-no-text"),
    ],
)
def test_a_doubt_about_the_rule_closes_the_page(text):
    with pytest.raises(PageClosed) as closed:
        read_front_matter(text)
    assert str(closed.value)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("\ufeff" + page("title: x"), "byte order mark"),
        ("\n" + page("title: x"), "blank line"),
        (page("title: x").replace("\n", "\r\n"), "carriage returns"),
        ("---\n" + "#" * 9000 + "\n---\n", "8192 bytes"),
        (page("title: x\nacces: login"), "unknown key in line 2"),
        (page("title: x\ntitle: y"), "twice"),
        (page("access: no"), "none of public, login"),
    ],
)
def test_the_report_says_what_is_wrong_and_quotes_no_words(text, reason):
    with pytest.raises(PageClosed, match=reason):
        read_front_matter(text)


@pytest.mark.parametrize(
    ("line", "title"),
    [
        ("title: ADR 7: Where boats sleep", "ADR 7: Where boats sleep"),
        ("title: Update #2 (new berths)", "Update #2 (new berths)"),
        ("title: [WIP] Ropes", "[WIP] Ropes"),
        ("title: {{ name }}", "{{ name }}"),
        ('title: "Wet" ropes', '"Wet" ropes'),
        ("title: 'tis wet", "'tis wet"),
        ("title: @deck", "@deck"),
        ("title: `rope()`", "`rope()`"),
        ("title: - a dash", "- a dash"),
        ("title:no space", "no space"),
        ("title: % of ropes", "% of ropes"),
        ("title: Ropes:", "Ropes:"),
        ("title: a \\ b: c", "a \\ b: c"),
        ("title: > 5 ropes", "> 5 ropes"),
    ],
)
@pytest.mark.parametrize("access", ["", "\naccess: login"])
def test_an_untidy_title_is_read_as_plain_text_and_reported(line, title, access):
    header = header_of(page(line + access))
    assert header.title == title
    assert len(header.warnings) == 1
    assert header.access == (Access("login") if access else None)


@pytest.mark.parametrize(
    ("line", "title"),
    [
        ("title: Ropes # a comment", "Ropes"),
        ("title: 'Ropes' #2", "Ropes"),
        ("title: C# for sailors", "C# for sailors"),
        ("title: 2026-01-31", "2026-01-31"),
        ("title: Yes", "Yes"),
        ("title: >\n  Long\n  one", "Long one"),
        ("title: Long\n  one", "Long one"),
        ("title:", ""),
    ],
)
def test_a_tidy_title_is_not_reported(line, title):
    header = header_of(page(line))
    assert (header.title, header.warnings) == (title, ())


def test_a_bad_language_or_version_is_left_out_and_reported():
    header = header_of(page(f"lang: english, mostly\nversion: {'9' * 65}"))
    assert (header.language, header.version) == ("", "")
    assert len(header.warnings) == 2


def test_keys_of_other_tools_are_skipped_where_the_site_names_them():
    text = page("title: x\nsidebar_position: 2\ntags: [a, {b: c}]")
    header, _ = read_front_matter(text, ignored_keys=["sidebar_position", "tags"])
    assert header.title == "x"


@pytest.mark.parametrize("slug", ["ropes", "/ropes/", "a/b.c/d_e-f", "/", "ропы"])
def test_a_slug_is_a_path_below_the_folder(slug):
    assert header_of(page(f"slug: {slug}")).slug == slug


RULES = st.sampled_from(
    ["access: login", "access: group:board", "access : login", "Access: login"]
)
LINES = st.lists(
    st.sampled_from(
        [
            "title: a: b",
            "title: 'x",
            'description: "x',
            "description: |",
            "  more",
            "",
            "---",
            "#",
            "&a",
            "title: [x",
            "]",
            "'",
            '"',
        ]
    )
    | st.text(alphabet="ab:'\"#-[]{}&*!|> \t\ufeff", max_size=8),
    max_size=5,
)


@given(LINES, RULES, LINES)
@example([], "access: group:board", [" >"])
@example([], "access: group:board", ["", "\t>"])
def test_no_disorder_around_a_rule_opens_the_page(before, rule, after):
    header_only = [line for line in before if line.strip() != "---"]
    text = "\n".join(["---", *header_only, rule, *after, "---", BODY])
    try:
        header, _ = read_front_matter(text)
    except PageClosed:
        return
    assert header.access in {Access("login"), Access("group", "board")}


@given(st.text() | st.text(alphabet="-\n: ae#'\"&*!<[{\r\t\ufeff"))
def test_reading_a_header_gives_a_header_or_closes_the_page(text):
    for candidate in (text, page(text)):
        try:
            header, _ = read_front_matter(candidate)
        except PageClosed:
            continue
        assert isinstance(header, FrontMatter)


def test_a_small_bomb_is_refused_before_it_grows():
    bomb = "a: &a [x]\n" + "\n".join(
        f"{b}: &{b} [{', '.join([f'*{a}'] * 9)}]"
        for a, b in zip("abcdefgh", "bcdefghi", strict=True)
    )
    with pytest.raises(NotPlainYaml):
        read_yaml(bomb)


@pytest.mark.parametrize(
    "text", ["[" * 5000, "- " * 5000 + "a", "{a: " * 5000, "? " * 5000]
)
def test_deep_nesting_is_refused(text):
    with pytest.raises(NotPlainYaml):
        read_yaml(text)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("a: no", {"a": "no"}),
        ("a: 1.10", {"a": "1.10"}),
        ("a: 2026-01-01", {"a": "2026-01-01"}),
        ("a: ~", {"a": "~"}),
        ("a:", {"a": ""}),
        ("- a\n- [b]", ["a", ["b"]]),
        ("", ""),
    ],
)
def test_yaml_values_are_the_text_that_was_written(text, value):
    assert read_yaml(text) == value


@pytest.mark.parametrize(
    "written", [None, True, 1, "", "x", "group:", "group: x", "group:a\x00"]
)
def test_what_is_no_rule_is_none(written):
    assert read_access(written) is None


@pytest.mark.parametrize(
    "header",
    [
        "access: group:staff\nProject Nightfall: yes",
        "access: group:staff\nNightfall: 1\nNightfall: 2",
        "access: group:staff\n? [Nightfall]\n: 1",
    ],
)
def test_no_key_of_a_closed_page_is_told(header):
    with pytest.raises(PageClosed) as closed:
        read_front_matter(page(header))
    assert "Nightfall" not in str(closed.value)
    assert "line" in str(closed.value)
