"""Fill the slow site's database; run once before its server starts."""

from __future__ import annotations

import django
from django.core.management import call_command


def fill() -> None:
    from django.contrib.sites.models import Site

    from nlweb_ask.models import SiteSettings
    from tests.testapp.models import Article

    call_command("migrate", run_syncdb=True, verbosity=0)
    Site.objects.update(domain="127.0.0.1")
    site = Site.objects.get()
    SiteSettings.objects.create(site_id=site.pk, enabled=True, rate_limit="")
    # The words of the questions too: what holds too little of one is not found.
    body = "When the tide comes in, in words that stand apart: big, once, break."
    Article.objects.create(title="Tide table", body=body)


if __name__ == "__main__":
    django.setup()
    fill()
