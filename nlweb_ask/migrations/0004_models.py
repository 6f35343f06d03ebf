"""What the owner decides about language models, and what they have used."""

from __future__ import annotations

from typing import ClassVar

import django.core.validators
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies: ClassVar = [
        ("nlweb_ask", "0003_recheck"),
    ]

    operations: ClassVar = [
        migrations.CreateModel(
            name="ModelSpending",
            fields=[
                (
                    "site_id",
                    models.PositiveIntegerField(
                        primary_key=True, serialize=False, verbose_name="site"
                    ),
                ),
                ("day", models.DateField()),
                ("day_calls", models.PositiveBigIntegerField(default=0)),
                ("day_micros", models.PositiveBigIntegerField(default=0)),
                ("anonymous_calls", models.PositiveBigIntegerField(default=0)),
                ("anonymous_micros", models.PositiveBigIntegerField(default=0)),
                ("month", models.DateField(help_text="The first day of the month.")),
                ("month_calls", models.PositiveBigIntegerField(default=0)),
                ("month_micros", models.PositiveBigIntegerField(default=0)),
                ("hour", models.BigIntegerField(default=0)),
                ("hour_calls", models.PositiveBigIntegerField(default=0)),
                ("hour_micros", models.PositiveBigIntegerField(default=0)),
                ("day_told", models.CharField(blank=True, default="", max_length=64)),
                ("month_told", models.CharField(blank=True, default="", max_length=64)),
            ],
            options={
                "verbose_name": "spending on language models",
                "verbose_name_plural": "spending on language models",
                "ordering": ["site_id"],
            },
        ),
        migrations.AddField(
            model_name="sitesettings",
            name="language_model",
            field=models.CharField(
                blank=True,
                default="",
                help_text="One of those in settings.py, by the name it has there. Empty: the first.",
                max_length=100,
                verbose_name="language model",
            ),
        ),
        migrations.AddField(
            model_name="sitesettings",
            name="model_calls_per_day",
            field=models.PositiveIntegerField(
                default=500,
                help_text="A question makes up to three calls of a language model, so 500 calls are about 166 questions. Calls that failed count too. At the cap, questions are answered without one.",
                validators=[django.core.validators.MinValueValidator(1)],
                verbose_name="calls a day at most",
            ),
        ),
        migrations.AddField(
            model_name="sitesettings",
            name="model_calls_per_month",
            field=models.PositiveIntegerField(
                default=10000,
                validators=[django.core.validators.MinValueValidator(1)],
                verbose_name="calls a month at most",
            ),
        ),
        migrations.AddField(
            model_name="sitesettings",
            name="model_cost_per_day",
            field=models.FloatField(
                default=0.0,
                help_text="In the currency that the prices in settings.py are in. 0: no cap of cost; the calls are capped all the same. With a cap, a model whose price is not known is not asked.",
                validators=[
                    django.core.validators.MinValueValidator(0),
                    django.core.validators.MaxValueValidator(1000000000),
                ],
                verbose_name="cost a day at most",
            ),
        ),
        migrations.AddField(
            model_name="sitesettings",
            name="model_cost_per_month",
            field=models.FloatField(
                default=0.0,
                help_text="0: no cap of cost.",
                validators=[
                    django.core.validators.MinValueValidator(0),
                    django.core.validators.MaxValueValidator(1000000000),
                ],
                verbose_name="cost a month at most",
            ),
        ),
        migrations.AddField(
            model_name="sitesettings",
            name="model_hour_share",
            field=models.PositiveSmallIntegerField(
                default=25,
                help_text="Per cent of a day's budget that visitors may use in one hour, so that a rush leaves something for the evening.",
                validators=[
                    django.core.validators.MinValueValidator(1),
                    django.core.validators.MaxValueValidator(100),
                ],
                verbose_name="share of an hour",
            ),
        ),
        migrations.AddField(
            model_name="sitesettings",
            name="model_member_reserve",
            field=models.PositiveSmallIntegerField(
                default=10,
                help_text="Per cent of a day's budget that only visitors may use who are signed in.",
                validators=[django.core.validators.MaxValueValidator(100)],
                verbose_name="kept for who is signed in",
            ),
        ),
        migrations.AddField(
            model_name="sitesettings",
            name="model_visitor_share",
            field=models.PositiveSmallIntegerField(
                default=10,
                help_text="Per cent of a day's budget that one visitor may use in a day.",
                validators=[
                    django.core.validators.MinValueValidator(1),
                    django.core.validators.MaxValueValidator(100),
                ],
                verbose_name="share of a visitor",
            ),
        ),
        migrations.AddField(
            model_name="sitesettings",
            name="models_enabled",
            field=models.BooleanField(
                default=True,
                help_text="While this is off, no language model is asked and nothing can cost anything; from the next question on, questions are answered without one.",
                verbose_name="ask language models",
            ),
        ),
        migrations.CreateModel(
            name="ModelLease",
            fields=[
                ("id", models.BigAutoField(primary_key=True, serialize=False)),
                ("site_id", models.PositiveIntegerField()),
                ("hour", models.BigIntegerField()),
                ("ends", models.BigIntegerField()),
                ("calls", models.PositiveBigIntegerField()),
                ("micros", models.PositiveBigIntegerField()),
                ("settled", models.BooleanField(default=False)),
            ],
            options={
                "verbose_name": "call of a language model",
                "verbose_name_plural": "calls of language models",
                "indexes": [
                    models.Index(fields=["site_id", "hour"], name="nlweb_lease_hour")
                ],
            },
        ),
        migrations.CreateModel(
            name="VisitorSpending",
            fields=[
                ("id", models.BigAutoField(primary_key=True, serialize=False)),
                ("site_id", models.PositiveIntegerField()),
                ("day", models.DateField()),
                ("visitor", models.CharField(max_length=64)),
                ("calls", models.PositiveBigIntegerField(default=0)),
                ("micros", models.PositiveBigIntegerField(default=0)),
            ],
            options={
                "verbose_name": "spending of a visitor",
                "verbose_name_plural": "spending of visitors",
                "constraints": [
                    models.UniqueConstraint(
                        fields=("site_id", "day", "visitor"), name="nlweb_visitor_day"
                    )
                ],
            },
        ),
    ]
