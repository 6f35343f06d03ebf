"""The pages of the two folders, shown as their sources read them."""

from __future__ import annotations

from functools import partial

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render

from nlweb_ask.plugins import SourceDocument, Viewer, sources


def documents(request: HttpRequest, name: str) -> list[SourceDocument]:
    """Return the documents of one source that this visitor may see."""
    source = sources.get(name)
    known = [ref.object_id for ref in source.iter_refs()]
    visible = source.visible_ids(Viewer(user=request.user), known)
    return sorted(source.load(visible), key=lambda document: document.name.casefold())


def _list(request: HttpRequest, *, source: str, heading: str) -> HttpResponse:
    pages = documents(request, source)
    return render(
        request,
        "example_site/folder.html",
        {"heading": heading, "pages": pages},
    )


def _page(request: HttpRequest, page: str, *, source: str) -> HttpResponse:
    for document in documents(request, source):
        if document.url == request.path:
            return render(
                request, "example_site/folder_page.html", {"document": document}
            )
    msg = "No page of this folder is here for this visitor."
    raise Http404(msg)


handbook = partial(_list, source="handbook", heading="Handbook")
handbook_page = partial(_page, source="handbook")
manual = partial(_list, source="manual", heading="About this software")
manual_page = partial(_page, source="manual")
