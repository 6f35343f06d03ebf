"""Making pages as an editor does, with versions and without."""

from __future__ import annotations

from typing import Any

from cms import api
from cms.models import Page, PageContent, PagePermission, PageUrl
from cms.utils.placeholder import rescan_placeholders_for_obj
from django.apps import apps
from django.contrib.auth.models import User
from django.contrib.sites.models import Site

VERSIONED = apps.is_installed("djangocms_versioning")


def editor() -> User:
    return User.objects.get_or_create(
        username="editorcanary", defaults={"is_staff": True, "is_superuser": True}
    )[0]


def add(
    parent: Page | None = None,
    title: str = "Page",
    html: str = "",
    *,
    language: str = "en",
    live: bool = True,
    fields: dict[str, Any] | None = None,
    **page: Any,
) -> Page:
    """Put a page below another one, published unless it is to be a draft."""
    if parent is not None:
        parent = Page.objects.get(pk=parent.pk)
    else:
        page.setdefault("site", Site.objects.get(pk=1))
    made = api.create_page(
        title,
        page.pop("template", "harbourcms/page.html"),
        language,
        parent=parent,
        created_by=editor(),
        **page,
    )
    content = latest(made, language)
    _fill(content, html, fields)
    if live:
        publish(content)
    return made


def add_many(parent: Page, number: int) -> list[Page]:
    """Put many pages below another one with a handful of statements."""
    parent = Page.objects.get(pk=parent.pk)
    paths = [
        Page._get_path(parent.path, parent.depth + 1, n + 1) for n in range(number)
    ]
    site = {"site": parent.site}
    Page.objects.bulk_create(
        Page(path=path, depth=parent.depth + 1, parent=parent, **site) for path in paths
    )
    pages = list(Page.objects.filter(path__in=paths))
    made = {"language": "en", "template": "harbourcms/page.html", "title": "Berth"}
    contents = PageContent.admin_manager.bulk_create(
        PageContent(page=page, slug=f"berth-{page.pk}", **made) for page in pages
    )
    PageUrl.objects.bulk_create(
        PageUrl(page=page, language="en", slug="berth", path=f"berth-{page.pk}", **site)
        for page in pages
    )
    if VERSIONED:
        from djangocms_versioning.models import Version

        Version.objects.bulk_create(
            Version(content=content, created_by=editor(), state="published", number="1")
            for content in contents
        )
    return pages


def translate(
    page: Page,
    title: str,
    html: str = "",
    *,
    language: str = "de",
    live: bool = True,
    slug: str | None = None,
) -> PageContent:
    api.create_page_content(language, title, page, slug=slug, created_by=editor())
    content = latest(page, language)
    _fill(content, html)
    if live:
        publish(content)
    return content


def _fill(
    content: PageContent, html: str, fields: dict[str, Any] | None = None
) -> None:
    if fields:
        PageContent.admin_manager.filter(pk=content.pk).update(**fields)
    if html:
        say(content, html)


def say(
    content: PageContent, html: str, slot: str = "content", plugin: str = ""
) -> Any:
    """Put words into a placeholder."""
    placeholder = rescan_placeholders_for_obj(content)[slot]
    values = {"html": html} if not plugin else {}
    return api.add_plugin(
        placeholder, plugin or "WordsPlugin", content.language, **values
    )


def latest(page: Page, language: str = "en") -> PageContent:
    found = PageContent.admin_manager.filter(page=page, language=language)
    return found.order_by("-pk")[0]


def version_of(content: PageContent) -> Any:
    from djangocms_versioning.models import Version

    return Version.objects.get_for_content(content)


def publish(content: Any) -> None:
    if VERSIONED:
        version_of(content).publish(editor())
    elif isinstance(content, PageContent):
        content.page.update_urls_from_content(content.language)


def restrict(page: Page, **fields: Any) -> PagePermission:
    """Let nobody see a page but one user or group, and superusers."""
    if not fields.keys() & {"user", "group"}:
        fields["user"] = User.objects.get_or_create(username="holder")[0]
    nothing = dict.fromkeys(PagePermission.get_all_permissions(), False)
    return PagePermission.objects.create(
        page=page, **{**nothing, "can_view": True, **fields}
    )


def words(page: Page) -> Any:
    """Return the plug-ins of a page that hold its words."""
    from tests.sites.djangocms.pages.models import Words

    return Words.objects.filter(placeholder__in=latest(page).placeholders.all())
