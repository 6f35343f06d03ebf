"""`/sites`: what this caller may name as `site` in a question."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import urlsplit

from django.http.response import HttpResponseBase
from rest_framework.request import Request

from nlweb_ask.conf import IMPLICIT_PROFILE, ProfileConf, SiteConf, deployment
from nlweb_ask.protocol.sites import sites_document, wants_sites_stream
from nlweb_ask.protocol.writers import Message, encode
from nlweb_ask.web.requests import raw_request
from nlweb_ask.web.responses import json_response, stream_response
from nlweb_ask.web.streaming import send_ready
from nlweb_ask.web.views import Endpoint


class SitesView(Endpoint):
    """`/sites`: the names of the profiles this caller may ask, and of no other."""

    http_method_names = ["get", "head", "options"]
    bucket = "ask"
    only_reads = True

    def get(self, request: Request) -> HttpResponseBase:
        http = request._request
        raw = raw_request(http, self.body)
        document = sites_document(names_to_ask(self.profiles, self.conf))
        if not wants_sites_stream(raw, body_limit=deployment().body_limit):
            return json_response(document)
        # One message is the whole answer, so nothing has to say that it was the last.
        message = encode(Message(None, document))
        return stream_response(send_ready(http, iter([message])))

    @property
    def version_before_reading(self) -> str | None:
        return "0.1"


def names_to_ask(profiles: Sequence[ProfileConf], conf: SiteConf) -> list[str]:
    """Return a name for each profile, the default one first, that `site` picks it by.

    The default profile that is the whole site goes by the site's host name, which says
    more to a stranger than `default` and picks the same.
    """
    first, *others = (profile.name for profile in profiles)
    host = urlsplit(conf.base_url).hostname
    return [host if host and first == IMPLICIT_PROFILE else first, *others]
