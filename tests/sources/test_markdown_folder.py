from __future__ import annotations

import logging
import os

import pytest
from django.contrib.auth.models import AnonymousUser, Group, User

from nlweb_ask.plugins import SourceFault, Viewer
from nlweb_ask.sources import MarkdownFolderSource
from nlweb_ask.sources.page_access import Access, membership
from nlweb_ask.sources.viewers import anonymous_viewer

ANYBODY = anonymous_viewer()


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "docs"


@pytest.fixture
def write(folder):
    def write(name: str, text: str | bytes) -> str:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return name

    return write


@pytest.fixture
def source_of(folder):
    def source_of(**attributes):
        given = {"name": "docs", "path": folder, "default_access": "public"}
        return type("Docs", (MarkdownFolderSource,), {**given, **attributes})()

    return source_of


@pytest.fixture
def source(source_of):
    return source_of()


def names(source):
    return [ref.object_id for ref in source.iter_refs()]


def page_of(source, name):
    [document] = source.load([name])
    return document


def problems(source):
    return {(p.name, p.fatal) for p in source.iter_problems()}


# What a page says


def test_a_page_is_an_article_below_the_base_address(write, source_of):
    write(
        "rigging/ropes.md",
        "---\ntitle: Ropes\ndescription: Wet and dry\nversion: '2.0'\n---\n"
        "# Ropes\n\nHemp.\n\n## Wet ropes\n\nDry them.\n",
    )
    document = page_of(
        source_of(base_url="/manual", default_language="en-gb"), "rigging/ropes.md"
    )

    assert document.url == "/manual/rigging/ropes/"
    assert document.name == "Ropes"
    assert document.abstract == "Wet and dry"
    assert document.version == "2.0"
    assert [(s.heading, s.anchor, s.text) for s in document.sections] == [
        ("", "", "Hemp."),
        ("Wet ropes", "wet-ropes", "Dry them."),
    ]
    assert document.schema_object == {
        "@context": "https://schema.org",
        "@type": ["Article", "TechArticle"],
        "url": "/manual/rigging/ropes/",
        "name": "Ropes",
        "headline": "Ropes",
        "description": "Wet and dry",
        "inLanguage": "en-gb",
        "version": "2.0",
    }


@pytest.mark.parametrize(
    ("name", "header", "url"),
    [
        ("index.md", "", "/docs/"),
        ("README.md", "", "/docs/"),
        ("a.md", "", "/docs/a/"),
        ("a/index.mdx", "", "/docs/a/"),
        ("a/b.c.md", "", "/docs/a/b.c/"),
        ("a.md", "slug: x/y", "/docs/x/y/"),
        ("a/b.md", "slug: /x", "/docs/x/"),
        ("a/b.md", "slug: /", "/docs/"),
        ("ä ö.md", "", "/docs/%C3%A4%20%C3%B6/"),
        ("100%?#.md", "", "/docs/100%25%3F%23/"),
    ],
)
def test_the_address_follows_the_slug_or_the_place(name, header, url, write, source):
    write(name, f"---\n{header}\n---\ntext")
    assert page_of(source, name).url == url


def test_addresses_can_do_without_the_last_slash(write, source_of):
    source = source_of(trailing_slash=False)
    assert page_of(source, write("a/b.md", "x")).url == "/docs/a/b"
    assert page_of(source, write("a/index.md", "x")).url == "/docs/a"
    assert page_of(source, write("index.md", "x")).url == "/docs/"


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("---\ntitle: From the header\n---\n# Heading", "From the header"),
        ("text\n\n## First heading\n\n# Second", "First heading"),
        ("just text", "Closing up for the night"),
    ],
)
def test_a_page_goes_by_its_title_or_first_heading_or_file(text, name, write, source):
    write("closing-up_for-the-night.md", text)
    assert page_of(source, "closing-up_for-the-night.md").name == name


def test_the_language_comes_from_the_header_the_folder_or_the_source(
    write, source_of, settings
):
    settings.LANGUAGE_CODE = "nl"
    write("de/a.md", "x")
    write("de/b.md", "---\nlang: fr\n---\nx")
    write("c.md", "x")
    source = source_of(language_folders=["de"])

    languages = {d.object_id: d.language for d in source.load(names(source))}
    assert languages == {"de/a.md": "de", "de/b.md": "fr", "c.md": "nl"}
    assert page_of(source_of(default_language="it"), "c.md").language == "it"


def test_translations_of_a_page_share_its_group(write, source_of):
    for folder in ("de", "en"):
        write(f"{folder}/a/b.md", "x")
        write(f"{folder}/{'long/' * 20}b.md", "x")
    source = source_of(language_folders=["de", "en"])

    groups = [page_of(source, f"{folder}/a/b.md").group for folder in ("de", "en")]
    assert groups == ["a/b.md", "a/b.md"]
    long = {page_of(source, f"{f}/{'long/' * 20}b.md").group for f in ("de", "en")}
    assert len(long) == 1
    assert len(long.pop()) <= 64


def test_untidy_headers_never_lose_a_page(write, source, caplog):
    write(
        "a.md",
        "---\ntitle: ADR 7: Where boats sleep\ndescription: Update #2 (new berths)\n---\n"
        "Berths are numbered.\n\n---\n\nSecond part about ropes: wet ones.\n\n---\n\n"
        "Third part about knots.\n",
    )
    write("b.md", "No front matter here.\n\n---\n\nJust a rule about anchors.\n")

    documents = {d.object_id: d for d in source.load(names(source))}
    assert documents["a.md"].name == "ADR 7: Where boats sleep"
    assert documents["a.md"].abstract == "Update #2 (new berths)"
    text = documents["a.md"].sections[0].text
    assert "wet ones" in text
    assert "knots" in text
    assert "anchors" in documents["b.md"].sections[0].text
    assert problems(source) == {("a.md", False)}
    assert "a.md" in caplog.text
    assert "boats" not in caplog.text


def test_a_crlf_page_without_a_header_is_read(write, source):
    write("a.md", "# Title\r\n\r\nOne\r\n\r\n```\r\ncode\r\nmore\r\n```\r\n")
    document = page_of(source, "a.md")
    assert document.name == "Title"
    assert document.sections[0].text == "One\ncode\nmore"


# Who may see it


def user_of(name, *groups, **flags):
    user = User.objects.create_user(name, **flags)
    user.groups.set(Group.objects.get_or_create(name=group)[0] for group in groups)
    return Viewer(user=user)


PAGES = {
    "public.md": "---\naccess: public\n---\nx",
    "login.md": "---\naccess: login\n---\nx",
    "crew.md": "---\naccess: group:Crew\n---\nx",
    "closed.md": "---\naccess: no\n---\nx",
    "silent.md": "x",
}


@pytest.mark.servers
@pytest.mark.parametrize(
    ("default", "person", "expected"),
    [
        ("public", "anybody", "public silent"),
        ("login", "anybody", "public"),
        ("login", "member", "public login silent"),
        ("public", "crew", "public login crew silent"),
        ("group:Crew", "member", "public login"),
        ("group:Crew", "crew", "public login crew silent"),
        ("public", "other case", "public login silent"),
        ("public", "superuser", "public login crew silent"),
        ("public", "inactive", "public silent"),
        ("", "superuser", ""),
        ("Public", "superuser", ""),
        ("group:", "superuser", ""),
    ],
)
def test_each_viewer_sees_what_the_files_say(
    default, person, expected, write, source_of, db
):
    for name, text in PAGES.items():
        write(name, text)
    viewer = {
        "anybody": lambda: ANYBODY,
        "member": lambda: user_of("m"),
        "crew": lambda: user_of("c", "Crew", "Other"),
        "other case": lambda: user_of("o", "crew"),
        "superuser": lambda: user_of("s", is_superuser=True),
        "inactive": lambda: user_of("i", "Crew", is_active=False),
    }[person]()
    source = source_of(default_access=default)

    assert source.visible_ids(viewer, PAGES) == {f"{n}.md" for n in expected.split()}


@pytest.mark.parametrize("default", ["", "open", "Login", "group:"])
def test_without_a_declared_default_nothing_is_offered(default, write, source_of):
    write("a.md", "---\naccess: public\n---\nx")
    source = source_of(default_access=default)
    assert not source.declares_visibility()
    assert names(source) == []
    assert list(source.load(["a.md"])) == []
    assert source.visible_ids(ANYBODY, ["a.md"]) == set()


def test_groups_are_read_in_one_query(write, source, db, django_assert_num_queries):
    for n in range(20):
        write(f"{n}.md", f"---\naccess: group:g{n % 3}\n---\nx")
    viewer = user_of("m", "g1")
    with django_assert_num_queries(1):
        visible = source.visible_ids(viewer, names(source))
    assert visible == {f"{n}.md" for n in range(20) if n % 3 == 1}


def test_anonymous_viewers_cost_no_query(write, source, db, django_assert_num_queries):
    write("a.md", "---\naccess: group:g\n---\nx")
    with django_assert_num_queries(0):
        assert source.visible_ids(ANYBODY, ["a.md"]) == set()


def test_a_page_closed_in_its_file_is_gone_from_the_next_question_on(write, source):
    write("a.md", "---\naccess: public\n---\nx")
    assert source.visible_ids(ANYBODY, ["a.md"]) == {"a.md"}
    write("a.md", "---\naccess: login\n---\nxx")
    assert source.visible_ids(ANYBODY, ["a.md"]) == set()


def test_a_page_closed_with_its_old_time_and_size_is_gone_too(write, source, folder):
    write("a.md", "---\naccess: public\n---\nx")
    before = (folder / "a.md").stat()
    assert source.visible_ids(ANYBODY, ["a.md"]) == {"a.md"}
    write("new", "---\naccess: login\n---\nxx")
    os.replace(folder / "new", folder / "a.md")  # noqa: PTH105
    os.utime(folder / "a.md", ns=(before.st_atime_ns, before.st_mtime_ns))
    assert (folder / "a.md").stat().st_size == before.st_size
    assert source.visible_ids(ANYBODY, ["a.md"]) == set()


def test_a_deleted_page_is_gone(write, source, folder):
    write("a.md", "x")
    assert source.visible_ids(ANYBODY, ["a.md"]) == {"a.md"}
    (folder / "a.md").unlink()
    assert source.visible_ids(ANYBODY, ["a.md"]) == set()
    assert names(source) == []
    assert list(source.load(["a.md"])) == []


def test_an_unchanged_page_is_not_read_again(write, source, monkeypatch):
    write("a.md", "x")
    source.visible_ids(ANYBODY, ["a.md"])
    monkeypatch.setattr("nlweb_ask.sources.markdown.read_front_matter", None)
    assert source.visible_ids(ANYBODY, ["a.md"]) == {"a.md"}


def test_a_rule_that_is_none_allows_nobody():
    superuser = Viewer(user=User(is_superuser=True))
    assert not membership(superuser, [None]).allows(None)
    assert membership(superuser, []).allows(Access("group", "x"))
    assert not membership(Viewer(user=AnonymousUser()), []).allows(Access("login"))


# What a folder holds


def test_pages_are_listed_in_order_without_what_is_excluded(write, source):
    for name in (
        "b.md",
        "a.MDX",
        "c/d.md",
        ".git/e.md",
        "_build/f.md",
        "c/_part.mdx",
        "node_modules/g/h.md",
        "i.txt",
        "j.md.bak",
    ):
        write(name, "x")
    assert names(source) == ["a.MDX", "b.md", "c/d.md"]


def test_the_stamp_of_a_page_moves_with_its_content(write, source):
    write("a.md", "x")
    [before] = source.iter_refs()
    assert [before] == list(source.iter_refs())
    write("a.md", "xy")
    [after] = source.iter_refs()
    assert before.stamp != after.stamp
    assert len(after.stamp) <= 64


@pytest.mark.parametrize(
    "name",
    [
        "",
        ".",
        "..",
        "../docs/a.md",
        "../secret.md",
        "a/../a.md",
        "./a.md",
        "/a.md",
        "a.md/",
        "c//d.md",
        "a.md\x00",
        "\udc80.md",
        "a\\b.md",
        "a.txt",
        ".git/e.md",
        "_build/f.md",
        "c",
        "x" * 300 + ".md",
        "x/" * 200 + "a.md",
    ],
)
def test_a_name_that_is_no_page_of_the_folder_reaches_nothing(
    name, write, source, folder
):
    write("a.md", "x")
    write("a.txt", "x")
    write("c/d.md", "x")
    write(".git/e.md", "x")
    write("_build/f.md", "x")
    (folder.parent / "secret.md").write_text("x")
    assert source.visible_ids(ANYBODY, [name]) == set()
    assert list(source.load([name])) == []


def test_links_are_not_followed(write, source, folder, tmp_path):
    write("a.md", "x")
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret.md").write_text("x")
    (folder / "file.md").symlink_to(outside / "secret.md")
    (folder / "inside.md").symlink_to(folder / "a.md")
    (folder / "folder").symlink_to(outside)
    (folder / "loop.md").symlink_to(folder / "loop.md")

    assert names(source) == ["a.md"]
    asked = ["file.md", "inside.md", "folder/secret.md", "loop.md"]
    assert source.visible_ids(ANYBODY, asked) == set()
    assert list(source.load(asked)) == []
    assert problems(source) == {
        ("file.md", True),
        ("inside.md", True),
        ("loop.md", True),
    }


def test_the_folder_itself_may_be_a_link(write, source_of, folder, tmp_path):
    write("a.md", "x")
    (tmp_path / "current").symlink_to(folder)
    assert names(source_of(path=tmp_path / "current")) == ["a.md"]


def test_a_bad_file_is_reported_by_name_and_the_rest_is_read(
    write, source, folder, caplog
):
    write("good.md", "x")
    write("large.md", "x" * 1_000_001)
    write("largest.md", "x" * 1_000_000)
    write("bytes.md", b"\xff\xfe")
    write("nul.md", b"acc\x00ess: login")
    write("closed.md", "---\naccess: no\n---\nx")
    write("broken.mdx", "<Tab a='>")
    write("hidden.mdx", "x <!-- a")
    os.mkfifo(folder / "pipe.md")
    (folder / "folder.md").mkdir()

    assert problems(source) == {
        ("large.md", True),
        ("bytes.md", True),
        ("nul.md", True),
        ("closed.md", True),
        ("broken.mdx", True),
        ("pipe.md", True),
    }
    with caplog.at_level(logging.WARNING, logger="nlweb_ask.index"):
        loaded = [d.object_id for d in source.load(names(source))]
    assert loaded == ["good.md", "hidden.mdx", "largest.md"]
    for name in ("large.md", "bytes.md", "closed.md", "broken.mdx", "pipe.md"):
        assert f"docs: {name} was left out." in caplog.text


def test_a_missing_folder_is_an_error_that_names_it(source, folder):
    with pytest.raises(SourceFault, match=f"The folder {folder} does not exist"):
        names(source)
    with pytest.raises(SourceFault, match=f"The folder {folder} does not exist"):
        list(source.load(["a.md"]))
    assert problems(source) == {(str(folder), True)}


def test_a_missing_folder_shows_nothing(source):
    assert source.visible_ids(ANYBODY, ["a.md"]) == set()
    assert source.stamps(["a.md"]) == {}


def test_questions_about_missing_pages_fill_no_log(write, source, caplog):
    source.visible_ids(ANYBODY, ["gone.md"])
    assert caplog.text == ""


def test_markdown_can_be_declared_to_be_mdx(write, source_of):
    write("a.md", "import a from 'a'\n\nText {1}")
    assert "import" in page_of(source_of(), "a.md").sections[0].text
    source = source_of(mdx_suffixes=[".md", ".mdx"])
    assert page_of(source, "a.md").sections[0].text == "Text"


def test_hidden_components_are_those_of_the_source(write, source_of):
    write("a.mdx", "a <Internal>quokka</Internal> b")
    assert "quokka" in page_of(source_of(), "a.mdx").sections[0].text
    source = source_of(hidden_components=["Internal"])
    assert page_of(source, "a.mdx").sections[0].text == "a b"
