"""Grants: who may ask which profile. What they are then shown is another question."""

from __future__ import annotations

from typing import Any, ClassVar

from django.conf import settings
from django.core.exceptions import ValidationError
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from nlweb_ask.models.profiles import IndexProfile


class Grantee(models.TextChoices):
    EVERYONE = "everyone", _("Everyone, also anonymous visitors")
    SIGNED_IN = "signed_in", _("Everyone who is signed in")
    GROUP = "group", _("A group")
    USER = "user", _("A user")


def _names_exactly_whom_it_says() -> Q:
    nobody = Q(group__isnull=True, user__isnull=True)
    return (
        (Q(kind__in=[Grantee.EVERYONE, Grantee.SIGNED_IN]) & nobody)
        | Q(kind=Grantee.GROUP, group__isnull=False, user__isnull=True)
        | Q(kind=Grantee.USER, group__isnull=True, user__isnull=False)
    )


class AccessGrant(models.Model):
    """Grants add up: one that fits is enough, and none takes another's away."""

    id = models.BigAutoField(primary_key=True)
    profile = models.ForeignKey(
        IndexProfile,
        verbose_name=_("profile"),
        on_delete=models.CASCADE,
        null=True,
        blank=True,
        related_name="grants",
        help_text=_("What may be asked. Empty: every profile of every site."),
    )
    kind = models.CharField(
        _("who"),
        max_length=16,
        choices=Grantee,
        help_text=_(
            "Who may ask. Which pages they are then shown is decided by each page's"
            " own permissions."
        ),
    )
    group = models.ForeignKey(
        "auth.Group",
        verbose_name=_("group"),
        on_delete=models.CASCADE,
        null=True,
        blank=True,
        related_name="+",
    )
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        verbose_name=_("user"),
        on_delete=models.CASCADE,
        null=True,
        blank=True,
        related_name="+",
    )

    class Meta:
        verbose_name = _("grant")
        verbose_name_plural = _("grants")
        ordering: ClassVar = ["id"]
        constraints: ClassVar = [
            models.CheckConstraint(
                condition=_names_exactly_whom_it_says(),
                name="nlweb_grant_grantee",
                violation_error_message=_("A grant names one group, one user or none."),
            )
        ]

    def __str__(self) -> str:
        whom = self.group or self.user or self.get_kind_display()
        return f"{whom} → {self.profile or _('every profile')}"

    def clean(self) -> None:
        errors = self._wrong_grantees()
        if errors:
            raise ValidationError(errors)
        self._refuse_double()

    def _wrong_grantees(self) -> dict[str, Any]:
        errors: dict[str, Any] = {}
        named = (
            (Grantee.GROUP, self.group_id, _("Choose a group.")),
            (Grantee.USER, self.user_id, _("Choose a user.")),
        )
        for grantee, chosen, choose in named:
            if self.kind == grantee and chosen is None:
                errors[grantee.value] = choose
            elif self.kind != grantee and chosen is not None:
                errors[grantee.value] = _("Leave this empty, or change “who”.")
        return errors

    def _refuse_double(self) -> None:
        same = AccessGrant.objects.filter(
            profile=self.profile_id,
            kind=self.kind,
            group=self.group_id,
            user=self.user_id,
        )
        if same.exclude(pk=self.pk).exists():
            raise ValidationError(_("This grant is there already."), code="double")
