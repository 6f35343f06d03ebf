"""What the owner of a site decides about asking it: one row a site."""

from __future__ import annotations

from typing import ClassVar

from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.utils.translation import gettext as _now
from django.utils.translation import gettext_lazy as _

from nlweb_ask.models.profiles import IndexProfile
from nlweb_ask.models.validators import validate_origin, validate_rate, validate_types


class AnswerMode(models.TextChoices):
    LIST = "list", _("List: the pages that fit best")
    SUMMARIZE = "summarize", _("Summary: the pages, and a summary of them")
    GENERATE = "generate", _("Answer: sentences that cite the pages they come from")


class SiteSettings(models.Model):
    """How one site answers. Without a row, settings.py and the defaults hold."""

    id = models.BigAutoField(primary_key=True)
    site_id = models.PositiveIntegerField(
        _("site"),
        unique=True,
        default=0,
        help_text=_("0 where the sites framework is not installed."),
    )
    enabled = models.BooleanField(
        _("switched on"),
        default=False,
        help_text=_(
            "While this is off, every address of the ask service answers as if it were"
            " not there, and nothing can be asked."
        ),
    )
    max_results = models.PositiveSmallIntegerField(
        _("results at most"),
        default=10,
        validators=[MinValueValidator(1), MaxValueValidator(100)],
        help_text=_("1 to 100. A question may ask for fewer, never for more."),
    )
    default_mode = models.CharField(
        _("form of an answer"),
        max_length=16,
        choices=AnswerMode,
        default=AnswerMode.LIST,
        help_text=_("What a question gets that does not say what it wants."),
    )
    allowed_types = models.JSONField(
        _("types"),
        default=list,
        blank=True,
        validators=[validate_types],
        help_text=_(
            "Only pages of these schema.org types are found. Empty: all types."
        ),
    )
    allow_legacy = models.BooleanField(
        _("answer NLWeb 0.1"),
        default=True,
        help_text=_("Older widgets and agents speak version 0.1 of the protocol."),
    )
    allow_cross_origin = models.BooleanField(
        _("answer pages of other sites"),
        default=False,
        help_text=_(
            "Lets a script on another site ask this one, always as an anonymous"
            " visitor. Agents that are no browser are not affected."
        ),
    )
    rate_limit = models.CharField(
        _("rate limit"),
        max_length=20,
        default="30/m",
        blank=True,
        validators=[validate_rate],
        help_text=_(
            "Questions one visitor may ask: 30/m is thirty a minute, 100/2h a hundred"
            " in two hours. Empty: no limit."
        ),
    )
    snippet_length = models.PositiveSmallIntegerField(
        _("length of a description"),
        default=300,
        validators=[MinValueValidator(50), MaxValueValidator(2000)],
        help_text=_("Characters of a page shown with a result, 50 to 2000."),
    )
    default_profile = models.ForeignKey(
        IndexProfile,
        verbose_name=_("default profile"),
        on_delete=models.SET_NULL,
        null=True,
        blank=True,
        related_name="+",
        help_text=_(
            "Answers a question that names no profile. Where a visitor may not ask it,"
            " the first one by name that they may ask does. Empty: the whole site, for"
            " whoever may ask every profile."
        ),
    )
    base_url = models.CharField(
        _("address of the site"),
        max_length=255,
        default="",
        blank=True,
        validators=[validate_origin],
        help_text=_(
            "Links in answers begin with it: https://www.example.org. Empty: the"
            " address in settings.py, or that of the site."
        ),
    )
    embedder = models.CharField(
        _("embedder"),
        max_length=64,
        default="",
        blank=True,
        help_text=_(
            "Which model of settings.py makes the vectors that the retriever “vector”"
            " searches. Empty: the first one."
        ),
    )

    class Meta:
        verbose_name = _("settings")
        verbose_name_plural = _("settings")
        ordering: ClassVar = ["site_id"]

    def __str__(self) -> str:
        if not self.site_id:
            return _now("this site")
        return _now("site %(site_id)d") % {"site_id": self.site_id}

    def clean(self) -> None:
        self._refuse_mode_without_generator()
        self._refuse_profile_of_another_site()

    def _refuse_mode_without_generator(self) -> None:
        written = self.default_mode in {AnswerMode.SUMMARIZE, AnswerMode.GENERATE}
        if written and getattr(settings, "NLWEB_ASK", {}).get("GENERATORS") == []:
            message = _("There is no generator that could write it.")
            raise ValidationError({"default_mode": message})

    def _refuse_profile_of_another_site(self) -> None:
        profile = self.default_profile
        if profile is not None and profile.site_id != self.site_id:
            message = _("This profile belongs to another site.")
            raise ValidationError({"default_profile": message})
