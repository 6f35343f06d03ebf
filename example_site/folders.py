"""The pages of the two folders. Their sources say which there are and who may see them."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import cast

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.safestring import SafeString

from example_site.markdown import render as render_markdown
from nlweb_ask import MarkdownFolderSource
from nlweb_ask.plugins import SourceDocument, Viewer, sources


def _source(name: str) -> MarkdownFolderSource:
    return cast("MarkdownFolderSource", sources.get(name))


def _documents(request: HttpRequest, source: str) -> list[SourceDocument]:
    """Return the documents of one source that this visitor may see."""
    known = [ref.object_id for ref in _source(source).iter_refs()]
    visible = _source(source).visible_ids(Viewer(user=request.user), known)
    documents = _source(source).load(visible)
    return sorted(documents, key=lambda document: document.name.casefold())


def _list(request: HttpRequest, *, source: str, heading: str) -> HttpResponse:
    pages = [d for d in _documents(request, source) if d.url != request.path]
    return render(
        request, "example_site/folder.html", {"heading": heading, "pages": pages}
    )


def _page(request: HttpRequest, page: str, *, source: str) -> HttpResponse:
    for document in _documents(request, source):
        if document.url == request.path:
            shown = {"document": document, "body": _body(document, source)}
            return render(request, "example_site/folder_page.html", shown)
    msg = "No page of this folder is here for this visitor."
    raise Http404(msg)


def _body(document: SourceDocument, source: str) -> SafeString:
    file = Path(_source(source).path) / document.object_id
    folder = Path(document.object_id).parent.as_posix()
    return render_markdown(
        file.read_text(encoding="utf-8"),
        [(section.heading, section.anchor) for section in document.sections],
        f"{_source(source).base_url}{'' if folder == '.' else f'{folder}/'}",
    )


handbook = partial(_list, source="handbook", heading="Handbook")
handbook_page = partial(_page, source="handbook")
manual = partial(_list, source="manual", heading="About this software")
manual_page = partial(_page, source="manual")
