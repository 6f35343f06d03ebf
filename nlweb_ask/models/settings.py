"""What the owner of a site decides about asking it: one row a site."""

from __future__ import annotations

from typing import ClassVar, Final

from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.utils.translation import gettext as _now
from django.utils.translation import gettext_lazy as _

from nlweb_ask.models.profiles import IndexProfile
from nlweb_ask.models.validators import validate_origin, validate_rate, validate_types

# A cap of cost in a currency of many digits still fits, and is counted to the millionth.
MOST_COST: Final = 1_000_000_000


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
    models_enabled = models.BooleanField(
        _("ask language models"),
        default=True,
        help_text=_(
            "While this is off, no language model is asked and nothing can cost"
            " anything; from the next question on, questions are answered without one."
        ),
    )
    language_model = models.CharField(
        _("language model"),
        max_length=100,
        default="",
        blank=True,
        help_text=_(
            "One of those in settings.py, by the name it has there. Empty: the first."
        ),
    )
    model_calls_per_day = models.PositiveIntegerField(
        _("calls a day at most"),
        default=500,
        validators=[MinValueValidator(1)],
        help_text=_(
            "A question makes up to three calls of a language model, so 500 calls are"
            " about 166 questions. Calls that failed count too. At the cap, questions"
            " are answered without one."
        ),
    )
    model_calls_per_month = models.PositiveIntegerField(
        _("calls a month at most"),
        default=10000,
        validators=[MinValueValidator(1)],
    )
    model_cost_per_day = models.FloatField(
        _("cost a day at most"),
        default=0.0,
        validators=[MinValueValidator(0), MaxValueValidator(MOST_COST)],
        help_text=_(
            "In the currency that the prices in settings.py are in. 0: no cap of cost;"
            " the calls are capped all the same. With a cap, a model whose price is not"
            " known is not asked."
        ),
    )
    model_cost_per_month = models.FloatField(
        _("cost a month at most"),
        default=0.0,
        validators=[MinValueValidator(0), MaxValueValidator(MOST_COST)],
        help_text=_("0: no cap of cost."),
    )
    model_hour_share = models.PositiveSmallIntegerField(
        _("share of an hour"),
        default=25,
        validators=[MinValueValidator(1), MaxValueValidator(100)],
        help_text=_(
            "Per cent of a day's budget that visitors may use in one hour, so that a"
            " rush leaves something for the evening."
        ),
    )
    model_visitor_share = models.PositiveSmallIntegerField(
        _("share of a visitor"),
        default=10,
        validators=[MinValueValidator(1), MaxValueValidator(100)],
        help_text=_("Per cent of a day's budget that one visitor may use in a day."),
    )
    model_member_reserve = models.PositiveSmallIntegerField(
        _("kept for who is signed in"),
        default=10,
        validators=[MaxValueValidator(100)],
        help_text=_(
            "Per cent of a day's budget that only visitors may use who are signed in."
        ),
    )
    embedder = models.CharField(
        _("embedder"),
        max_length=100,
        default="",
        blank=True,
        help_text=_(
            "Which model of settings.py makes the vectors that the retriever “vector”"
            " searches, by the name it has there. Empty: the first. Of use only where"
            " “vector” is among the retrievers of a profile or of settings.py."
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
