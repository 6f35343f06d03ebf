"""Fill the example site: content, people, settings, index."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml
from django.conf import settings
from django.core.management import BaseCommand, CommandError, call_command
from django.db import transaction

from example_site.demo_users import DEMO_USERS, make_demo_users
from example_site.models import BlogPosting, Page, Recipe
from nlweb_ask.models import Document, IndexProfile, SiteSettings
from nlweb_ask.sources.sites import default_site_id

CONTENT = Path(__file__).resolve().parents[2] / "content"

# The first one answers a question that names none.
PROFILES = {
    "house": ["recipes", "posts", "handbook"],
    "kitchen": ["recipes"],
    "manual": ["manual"],
}


class Command(BaseCommand):
    help = (
        "Load the pages and people of the example site, switch asking on and index it. "
        "Running it again brings the shipped pages back and leaves your own alone."
    )

    def handle(self, *args: Any, **options: Any) -> None:
        if not settings.DEBUG:
            msg = "load_example makes users with printed passwords: it needs DEBUG."
            raise CommandError(msg)
        with transaction.atomic():
            changed = load_pages(Recipe, "recipes") + load_pages(BlogPosting, "posts")
            make_demo_users()
            switch_on(default_site_id())
        self.stdout.write(
            f"{Recipe.objects.count()} recipes and {BlogPosting.objects.count()} posts, "
            f"{changed} of them new or brought back."
        )
        # Most pages are indexed as they are saved, so its own counts would mislead here.
        call_command("nlweb_index", verbosity=0, stdout=self.stdout, stderr=self.stderr)
        indexed = Document.objects.filter(site_id=default_site_id(), indexed=True)
        self.stdout.write(f"{indexed.count()} pages are in the index.")
        self._say_where_to_go()

    def _say_where_to_go(self) -> None:
        home = settings.NLWEB_ASK["BASE_URL"]
        self.stdout.write(f"\nThe site   {home}/")
        self.stdout.write(f"Its admin  {home}/admin/")
        self.stdout.write(
            f'Ask it     curl "{home}/ask?query=sourdough&streaming=false"'
        )
        self.stdout.write("\nLog in as  (user / password)")
        for person in DEMO_USERS:
            self.stdout.write(
                f"  {person.name:8} {person.password:12} sees {person.sees}"
            )
        self.stdout.write("")


def switch_on(site_id: int) -> None:
    """Let the house's own pages be asked, and by name its recipes or the manual alone."""
    house, *_ = [
        IndexProfile.objects.get_or_create(
            site_id=site_id, name=name, defaults={"sources": sources}
        )[0]
        for name, sources in PROFILES.items()
    ]
    row, _ = SiteSettings.objects.get_or_create(
        site_id=site_id, defaults={"default_profile": house}
    )
    row.enabled = True
    row.save()


def load_pages(model: type[Page], name: str) -> int:
    """Make the pages of one file; return how many were missing or different."""
    entries = yaml.safe_load((CONTENT / f"{name}.yaml").read_text(encoding="utf-8"))
    known = {page.slug: page for page in model._default_manager.all()}
    return sum(_bring_back(known.get(e["slug"], model()), e) for e in entries)


def _bring_back(page: Page, entry: dict[str, Any]) -> bool:
    wanted = {"audience": "public", "status": "published", **entry}
    if "ingredients" in wanted:
        wanted["ingredients"] = "\n".join(wanted["ingredients"])
    if all(getattr(page, name) == value for name, value in wanted.items()):
        return False
    for name, value in wanted.items():
        setattr(page, name, value)
    page.save()
    return True
