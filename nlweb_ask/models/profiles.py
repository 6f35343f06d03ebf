"""Profiles: the named indexes of a site, one of which `site` picks in a question."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from django.core.exceptions import ValidationError
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.utils.translation import gettext as _now
from django.utils.translation import gettext_lazy as _

from nlweb_ask.models.validators import (
    validate_languages,
    validate_names,
    validate_profile_name,
    validate_types,
)
from nlweb_ask.plugins.registry import Registry, retrievers, sources


def _unknown(names: Sequence[str], known: Registry[Any]) -> str:
    return _now("Not installed: %(names)s. Installed: %(known)s.") % {
        "names": ", ".join(names),
        "known": ", ".join(known.names()) or _now("none"),
    }


class Fusion(models.TextChoices):
    WEIGHTED = "weighted", _("Weighted sum of scores")
    RRF = "rrf", _("Reciprocal ranks (scores that cannot be compared)")


class IndexProfile(models.Model):
    """What one named index searches, and how."""

    id = models.BigAutoField(primary_key=True)
    site_id = models.PositiveIntegerField(
        _("site"),
        default=0,
        help_text=_("0 where the sites framework is not installed."),
    )
    name = models.CharField(
        _("name"),
        max_length=64,
        validators=[validate_profile_name],
        help_text=_(
            "What a question names in “site” to pick this profile: small letters,"
            " digits, hyphens and underscores."
        ),
    )
    label = models.CharField(
        _("label"),
        max_length=120,
        blank=True,
        help_text=_("What people read. Empty: the name."),
    )
    sources = models.JSONField(
        _("sources"),
        default=list,
        blank=True,
        validators=[validate_names],
        help_text=_("What is searched. None chosen: every source."),
    )
    fusion = models.CharField(
        _("fusion"),
        max_length=16,
        choices=Fusion,
        default=Fusion.WEIGHTED,
        help_text=_("How the lists of several retrievers become one."),
    )
    languages = models.JSONField(
        _("languages"),
        default=list,
        blank=True,
        validators=[validate_languages],
        help_text=_("Only pages in these languages are found. Empty: every language."),
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

    class Meta:
        verbose_name = _("profile")
        verbose_name_plural = _("profiles")
        ordering: ClassVar = ["site_id", "name"]
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["site_id", "name"],
                name="nlweb_profile_name",
                violation_error_message=_("This site has a profile of that name."),
            )
        ]

    def __str__(self) -> str:
        return self.label or self.name

    def clean(self) -> None:
        if not isinstance(self.sources, list):
            return
        unknown = [name for name in self.sources if name not in sources]
        if unknown:
            raise ValidationError({"sources": _unknown(unknown, sources)})


class ProfileRetriever(models.Model):
    """One retriever of a profile, in its order and with its weight."""

    id = models.BigAutoField(primary_key=True)
    profile = models.ForeignKey(
        IndexProfile, on_delete=models.CASCADE, related_name="retrievers"
    )
    name = models.CharField(_("retriever"), max_length=100)
    weight = models.FloatField(
        _("weight"),
        default=1.0,
        validators=[MinValueValidator(0.01), MaxValueValidator(100.0)],
        help_text=_("0.01 to 100. Twice the weight counts twice as much."),
    )
    order = models.PositiveSmallIntegerField(
        _("order"), default=0, help_text=_("Small numbers come first.")
    )

    class Meta:
        verbose_name = _("retriever")
        verbose_name_plural = _("retrievers")
        ordering: ClassVar = ["order", "id"]
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["profile", "name"],
                name="nlweb_profile_retriever",
                violation_error_message=_("This profile has that retriever already."),
            )
        ]

    def __str__(self) -> str:
        return self.name

    def clean(self) -> None:
        if self.name and self.name not in retrievers:
            raise ValidationError({"name": _unknown([self.name], retrievers)})
