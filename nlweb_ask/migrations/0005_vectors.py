"""The tables of vectors, and the owner's choice of what makes them."""

from __future__ import annotations

from typing import ClassVar

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies: ClassVar = [("nlweb_ask", "0004_models")]

    operations: ClassVar = [
        migrations.AddField(
            model_name="sitesettings",
            name="embedder",
            field=models.CharField(
                blank=True,
                default="",
                help_text=(
                    "Which model of settings.py makes the vectors that the retriever"
                    " “vector” searches, by the name it has there. Empty: the first. Of"
                    " use only where “vector” is among the retrievers of a profile or of"
                    " settings.py."
                ),
                max_length=100,
                verbose_name="embedder",
            ),
        ),
        migrations.CreateModel(
            name="VectorSet",
            fields=[
                ("id", models.BigAutoField(primary_key=True, serialize=False)),
                ("site_id", models.IntegerField(default=0)),
                ("label", models.CharField(max_length=100, verbose_name="embedder")),
                ("model", models.CharField(max_length=200, verbose_name="model")),
                (
                    "width",
                    models.PositiveIntegerField(verbose_name="numbers a vector"),
                ),
                ("version", models.BigIntegerField(default=0)),
                ("busy_until", models.DateTimeField(blank=True, null=True)),
                ("weight", models.FloatField(default=0.3, verbose_name="weight")),
                ("least", models.FloatField(default=0.0, verbose_name="least")),
                (
                    "tested_pages",
                    models.PositiveIntegerField(
                        default=0, verbose_name="pages of the test"
                    ),
                ),
                (
                    "by_vectors",
                    models.FloatField(
                        default=0.0, verbose_name="titles found by vectors"
                    ),
                ),
                (
                    "by_words",
                    models.FloatField(
                        default=0.0, verbose_name="titles found by words"
                    ),
                ),
                (
                    "tested_at",
                    models.DateTimeField(blank=True, null=True, verbose_name="tested"),
                ),
            ],
            options={
                "verbose_name": "vectors",
                "verbose_name_plural": "vectors",
                "constraints": [
                    models.UniqueConstraint(
                        fields=("site_id", "label", "model", "width"),
                        name="nlweb_vector_set",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="PageVectors",
            fields=[
                ("id", models.BigAutoField(primary_key=True, serialize=False)),
                (
                    "vector_set",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        to="nlweb_ask.vectorset",
                    ),
                ),
                ("document_id", models.BigIntegerField()),
                ("token", models.BigIntegerField()),
                ("content_hash", models.CharField(max_length=32)),
                ("analyzer", models.PositiveIntegerField()),
                ("passages", models.PositiveIntegerField()),
                ("hashes", models.BinaryField()),
                ("vectors", models.BinaryField()),
            ],
            options={
                "verbose_name": "vectors of a page",
                "verbose_name_plural": "vectors of pages",
                "constraints": [
                    models.UniqueConstraint(
                        fields=("vector_set", "document_id"),
                        name="nlweb_page_vectors",
                    )
                ],
            },
        ),
    ]
