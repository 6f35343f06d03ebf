"""`/ask/receipts`: whether what was quoted still stands, for who asks now."""

from __future__ import annotations

from django.http import HttpResponse
from django.utils.translation import gettext as _
from django.views.decorators.debug import sensitive_variables
from rest_framework.request import Request

from nlweb_ask.conf import deployment
from nlweb_ask.pipeline.border import RAISED
from nlweb_ask.pipeline.failures import log_failure
from nlweb_ask.pipeline.recheck import rechecked
from nlweb_ask.protocol.errors import ServerBusy
from nlweb_ask.protocol.receipts import read_receipts, receipts_document
from nlweb_ask.web.requests import raw_request
from nlweb_ask.web.responses import json_response
from nlweb_ask.web.views import Endpoint


class ReceiptsView(Endpoint):
    """Citations of an earlier answer, each `valid`, `changed` or `gone`."""

    http_method_names = ["post", "options"]
    bucket = "ask"
    only_reads = True

    @sensitive_variables()
    def post(self, request: Request) -> HttpResponse:
        raw = raw_request(request._request, self.body)
        receipts = read_receipts(raw, body_limit=deployment().body_limit)
        try:
            states = rechecked(receipts, self.viewer, self.conf, self.profiles)
        except RAISED as error:  # a caller gets a refusal, never a trace
            log_failure("receipts", error)
            msg = _("The receipts cannot be checked right now. Please try again.")
            raise ServerBusy(msg) from error
        return json_response(receipts_document(states))
