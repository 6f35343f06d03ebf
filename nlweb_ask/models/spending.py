"""What language models have been asked and have cost: counts that are spent against caps.

Amounts are whole millionths of the currency that the owner thinks in (micros). Days,
months and hours are those of the site's own time zone; an hour and an end are seconds
since 1970, so that the hour which comes twice in autumn is two.
"""

from __future__ import annotations

from typing import ClassVar

from django.db import models
from django.utils.translation import gettext as _now
from django.utils.translation import gettext_lazy as _


class ModelSpending(models.Model):
    """What one site has used of its budget; every call moves this row once.

    Each group of columns counts for the period that stands with it: in a later one it
    begins at nothing.
    """

    site_id = models.PositiveIntegerField(_("site"), primary_key=True)
    day = models.DateField()
    day_calls = models.PositiveBigIntegerField(default=0)
    day_micros = models.PositiveBigIntegerField(default=0)
    # Of those, what visitors had who were not signed in.
    anonymous_calls = models.PositiveBigIntegerField(default=0)
    anonymous_micros = models.PositiveBigIntegerField(default=0)
    month = models.DateField(help_text=_("The first day of the month."))
    month_calls = models.PositiveBigIntegerField(default=0)
    month_micros = models.PositiveBigIntegerField(default=0)
    # What visitors had in this hour: the site's own work is held to no slice.
    hour = models.BigIntegerField(default=0)
    hour_calls = models.PositiveBigIntegerField(default=0)
    hour_micros = models.PositiveBigIntegerField(default=0)
    # Which threshold has been told, and of which caps: "500/2500000:70".
    day_told = models.CharField(max_length=64, default="", blank=True)
    month_told = models.CharField(max_length=64, default="", blank=True)

    class Meta:
        verbose_name = _("spending on language models")
        verbose_name_plural = _("spending on language models")
        ordering: ClassVar = ["site_id"]

    def __str__(self) -> str:
        if not self.site_id:
            return _now("this site")
        return _now("site %(site_id)d") % {"site_id": self.site_id}


class VisitorSpending(models.Model):
    """What one visitor has used in one day, under a name that nobody can read.

    `visitor` is a keyed hash that is another one every day, so that no address and no
    user can be told from it and no visitor followed. Rows of past days are deleted.
    """

    id = models.BigAutoField(primary_key=True)
    site_id = models.PositiveIntegerField()
    day = models.DateField()
    visitor = models.CharField(max_length=64)
    calls = models.PositiveBigIntegerField(default=0)
    micros = models.PositiveBigIntegerField(default=0)

    class Meta:
        verbose_name = _("spending of a visitor")
        verbose_name_plural = _("spending of visitors")
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["site_id", "day", "visitor"], name="nlweb_visitor_day"
            )
        ]

    def __str__(self) -> str:
        return f"{self.visitor[:8]} {self.day}"


class ModelLease(models.Model):
    """One call of a model: what it could cost at most, and once settled what it did.

    One that is never settled stays at its worst case: nobody knows what it has cost.
    """

    id = models.BigAutoField(primary_key=True)
    site_id = models.PositiveIntegerField()
    hour = models.BigIntegerField()
    ends = models.BigIntegerField()
    calls = models.PositiveBigIntegerField()
    micros = models.PositiveBigIntegerField()
    settled = models.BooleanField(default=False)

    class Meta:
        verbose_name = _("call of a language model")
        verbose_name_plural = _("calls of language models")
        indexes: ClassVar = [
            models.Index(fields=["site_id", "hour"], name="nlweb_lease_hour")
        ]

    def __str__(self) -> str:
        return f"{self.pk}"
