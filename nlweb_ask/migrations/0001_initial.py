"""The tables as they first were."""

from __future__ import annotations

import django.core.validators
import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

import nlweb_ask.models.validators


class Migration(migrations.Migration):
    initial = True

    dependencies = [
        ("auth", "0012_alter_user_first_name_max_length"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Change",
            fields=[
                ("id", models.BigAutoField(primary_key=True, serialize=False)),
                ("site_id", models.IntegerField(db_index=True)),
                ("document_id", models.BigIntegerField()),
                ("token", models.BigIntegerField()),
                (
                    "kind",
                    models.PositiveSmallIntegerField(
                        choices=[
                            (0, "withdrawn"),
                            (1, "put"),
                            (2, "opened to the public"),
                            (3, "closed to the public"),
                        ]
                    ),
                ),
                ("page", models.BinaryField(null=True)),
                ("created", models.DateTimeField(auto_now_add=True)),
            ],
            options={
                "verbose_name": "change",
                "verbose_name_plural": "changes",
            },
        ),
        migrations.CreateModel(
            name="IndexState",
            fields=[
                ("site_id", models.IntegerField(primary_key=True, serialize=False)),
                ("epoch", models.BigIntegerField(default=0)),
            ],
            options={
                "verbose_name": "index state",
                "verbose_name_plural": "index states",
            },
        ),
        migrations.CreateModel(
            name="Segment",
            fields=[
                ("id", models.BigAutoField(primary_key=True, serialize=False)),
                ("site_id", models.IntegerField(db_index=True)),
                ("columns", models.BinaryField()),
            ],
            options={
                "verbose_name": "segment",
                "verbose_name_plural": "segments",
            },
        ),
        migrations.CreateModel(
            name="Document",
            fields=[
                ("id", models.BigAutoField(primary_key=True, serialize=False)),
                (
                    "key",
                    models.CharField(
                        help_text="Hash of site, source, object, language and part.",
                        max_length=32,
                        unique=True,
                    ),
                ),
                ("site_id", models.IntegerField(default=0)),
                ("source", models.CharField(max_length=100, verbose_name="source")),
                ("object_id", models.CharField(max_length=255, verbose_name="object")),
                (
                    "language",
                    models.CharField(
                        blank=True, max_length=16, verbose_name="language"
                    ),
                ),
                (
                    "part",
                    models.CharField(blank=True, max_length=64, verbose_name="part"),
                ),
                ("group", models.CharField(blank=True, max_length=64)),
                (
                    "version",
                    models.CharField(blank=True, max_length=64, verbose_name="version"),
                ),
                ("public", models.BooleanField(default=False, verbose_name="public")),
                ("indexed", models.BooleanField(default=False, verbose_name="indexed")),
                (
                    "url",
                    models.CharField(
                        blank=True, max_length=2000, verbose_name="address"
                    ),
                ),
                ("name", models.TextField(blank=True, verbose_name="name")),
                ("abstract", models.TextField(blank=True)),
                ("schema", models.TextField(default="{}")),
                ("content_hash", models.CharField(blank=True, max_length=32)),
                ("stamp", models.CharField(blank=True, max_length=64)),
                ("analyzer", models.PositiveIntegerField(default=0)),
                (
                    "refreshed_at",
                    models.DateTimeField(
                        blank=True, null=True, verbose_name="refreshed"
                    ),
                ),
            ],
            options={
                "verbose_name": "document",
                "verbose_name_plural": "documents",
                "indexes": [
                    models.Index(fields=["source", "object_id"], name="nlweb_doc_obj")
                ],
            },
        ),
        migrations.CreateModel(
            name="IndexFailure",
            fields=[
                ("id", models.BigAutoField(primary_key=True, serialize=False)),
                ("site_id", models.IntegerField(default=0)),
                ("source", models.CharField(max_length=100, verbose_name="source")),
                (
                    "object_id",
                    models.CharField(blank=True, max_length=255, verbose_name="object"),
                ),
                ("reason", models.CharField(max_length=255, verbose_name="reason")),
                ("created", models.DateTimeField(auto_now=True, verbose_name="seen")),
            ],
            options={
                "verbose_name": "index failure",
                "verbose_name_plural": "index failures",
                "indexes": [
                    models.Index(
                        fields=["source", "object_id"], name="nlweb_failure_obj"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="IndexProfile",
            fields=[
                ("id", models.BigAutoField(primary_key=True, serialize=False)),
                (
                    "site_id",
                    models.PositiveIntegerField(
                        default=0,
                        help_text="0 where the sites framework is not installed.",
                        verbose_name="site",
                    ),
                ),
                (
                    "name",
                    models.CharField(
                        help_text="What a question names in “site” to pick this profile: small letters, digits, hyphens and underscores.",
                        max_length=64,
                        validators=[nlweb_ask.models.validators.validate_profile_name],
                        verbose_name="name",
                    ),
                ),
                (
                    "label",
                    models.CharField(
                        blank=True,
                        help_text="What people read. Empty: the name.",
                        max_length=120,
                        verbose_name="label",
                    ),
                ),
                (
                    "sources",
                    models.JSONField(
                        blank=True,
                        default=list,
                        help_text="What is searched. None chosen: every source.",
                        validators=[nlweb_ask.models.validators.validate_names],
                        verbose_name="sources",
                    ),
                ),
                (
                    "fusion",
                    models.CharField(
                        choices=[
                            ("weighted", "Weighted sum of scores"),
                            (
                                "rrf",
                                "Reciprocal ranks (scores that cannot be compared)",
                            ),
                        ],
                        default="weighted",
                        help_text="How the lists of several retrievers become one.",
                        max_length=16,
                        verbose_name="fusion",
                    ),
                ),
                (
                    "languages",
                    models.JSONField(
                        blank=True,
                        default=list,
                        help_text="Only pages in these languages are found. Empty: every language.",
                        validators=[nlweb_ask.models.validators.validate_languages],
                        verbose_name="languages",
                    ),
                ),
                (
                    "allowed_types",
                    models.JSONField(
                        blank=True,
                        default=list,
                        help_text="Only pages of these schema.org types are found. Empty: all types.",
                        validators=[nlweb_ask.models.validators.validate_types],
                        verbose_name="types",
                    ),
                ),
            ],
            options={
                "verbose_name": "profile",
                "verbose_name_plural": "profiles",
                "ordering": ["site_id", "name"],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("site_id", "name"),
                        name="nlweb_profile_name",
                        violation_error_message="This site has a profile of that name.",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Posting",
            fields=[
                ("id", models.BigAutoField(primary_key=True, serialize=False)),
                ("site_id", models.IntegerField()),
                ("term", models.BigIntegerField()),
                ("segment_id", models.BigIntegerField(db_index=True)),
                ("postings", models.BinaryField()),
            ],
            options={
                "verbose_name": "posting",
                "verbose_name_plural": "postings",
                "constraints": [
                    models.UniqueConstraint(
                        fields=("site_id", "term", "segment_id"),
                        name="nlweb_posting_term",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="SiteSettings",
            fields=[
                ("id", models.BigAutoField(primary_key=True, serialize=False)),
                (
                    "site_id",
                    models.PositiveIntegerField(
                        default=0,
                        help_text="0 where the sites framework is not installed.",
                        unique=True,
                        verbose_name="site",
                    ),
                ),
                (
                    "enabled",
                    models.BooleanField(
                        default=False,
                        help_text="While this is off, every address of the ask service answers as if it were not there, and nothing can be asked.",
                        verbose_name="switched on",
                    ),
                ),
                (
                    "max_results",
                    models.PositiveSmallIntegerField(
                        default=10,
                        help_text="1 to 100. A question may ask for fewer, never for more.",
                        validators=[
                            django.core.validators.MinValueValidator(1),
                            django.core.validators.MaxValueValidator(100),
                        ],
                        verbose_name="results at most",
                    ),
                ),
                (
                    "default_mode",
                    models.CharField(
                        choices=[
                            ("list", "List: the pages that fit best"),
                            ("summarize", "Summary: the pages, and a summary of them"),
                            (
                                "generate",
                                "Answer: sentences that cite the pages they come from",
                            ),
                        ],
                        default="list",
                        help_text="What a question gets that does not say what it wants.",
                        max_length=16,
                        verbose_name="form of an answer",
                    ),
                ),
                (
                    "allowed_types",
                    models.JSONField(
                        blank=True,
                        default=list,
                        help_text="Only pages of these schema.org types are found. Empty: all types.",
                        validators=[nlweb_ask.models.validators.validate_types],
                        verbose_name="types",
                    ),
                ),
                (
                    "allow_legacy",
                    models.BooleanField(
                        default=True,
                        help_text="Older widgets and agents speak version 0.1 of the protocol.",
                        verbose_name="answer NLWeb 0.1",
                    ),
                ),
                (
                    "allow_cross_origin",
                    models.BooleanField(
                        default=False,
                        help_text="Lets a script on another site ask this one, always as an anonymous visitor. Agents that are no browser are not affected.",
                        verbose_name="answer pages of other sites",
                    ),
                ),
                (
                    "rate_limit",
                    models.CharField(
                        blank=True,
                        default="30/m",
                        help_text="Questions one visitor may ask: 30/m is thirty a minute, 100/2h a hundred in two hours. Empty: no limit.",
                        max_length=20,
                        validators=[nlweb_ask.models.validators.validate_rate],
                        verbose_name="rate limit",
                    ),
                ),
                (
                    "snippet_length",
                    models.PositiveSmallIntegerField(
                        default=300,
                        help_text="Characters of a page shown with a result, 50 to 2000.",
                        validators=[
                            django.core.validators.MinValueValidator(50),
                            django.core.validators.MaxValueValidator(2000),
                        ],
                        verbose_name="length of a description",
                    ),
                ),
                (
                    "base_url",
                    models.CharField(
                        blank=True,
                        default="",
                        help_text="Links in answers begin with it: https://www.example.org. Empty: the address in settings.py, or that of the site.",
                        max_length=255,
                        validators=[nlweb_ask.models.validators.validate_origin],
                        verbose_name="address of the site",
                    ),
                ),
                (
                    "default_profile",
                    models.ForeignKey(
                        blank=True,
                        help_text="Answers a question that names no profile. Where a visitor may not ask it, the first one by name that they may ask does. Empty: the whole site, for whoever may ask every profile.",
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to="nlweb_ask.indexprofile",
                        verbose_name="default profile",
                    ),
                ),
            ],
            options={
                "verbose_name": "settings",
                "verbose_name_plural": "settings",
                "ordering": ["site_id"],
            },
        ),
        migrations.CreateModel(
            name="AccessGrant",
            fields=[
                ("id", models.BigAutoField(primary_key=True, serialize=False)),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("everyone", "Everyone, also anonymous visitors"),
                            ("signed_in", "Everyone who is signed in"),
                            ("group", "A group"),
                            ("user", "A user"),
                        ],
                        help_text="Who may ask. Which pages they are then shown is decided by each page's own permissions.",
                        max_length=16,
                        verbose_name="who",
                    ),
                ),
                (
                    "group",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="auth.group",
                        verbose_name="group",
                    ),
                ),
                (
                    "user",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                        verbose_name="user",
                    ),
                ),
                (
                    "profile",
                    models.ForeignKey(
                        blank=True,
                        help_text="What may be asked. Empty: every profile of every site.",
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="grants",
                        to="nlweb_ask.indexprofile",
                        verbose_name="profile",
                    ),
                ),
            ],
            options={
                "verbose_name": "grant",
                "verbose_name_plural": "grants",
                "ordering": ["id"],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(
                                ("kind__in", ["everyone", "signed_in"]),
                                ("group__isnull", True),
                                ("user__isnull", True),
                            ),
                            models.Q(
                                ("group__isnull", False),
                                ("kind", "group"),
                                ("user__isnull", True),
                            ),
                            models.Q(
                                ("group__isnull", True),
                                ("kind", "user"),
                                ("user__isnull", False),
                            ),
                            _connector="OR",
                        ),
                        name="nlweb_grant_grantee",
                        violation_error_message="A grant names one group, one user or none.",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Passage",
            fields=[
                ("id", models.BigAutoField(primary_key=True, serialize=False)),
                ("ordinal", models.PositiveIntegerField()),
                ("heading", models.TextField(blank=True)),
                ("anchor", models.CharField(blank=True, max_length=255)),
                ("text", models.TextField()),
                ("start", models.PositiveIntegerField()),
                ("end", models.PositiveIntegerField()),
                ("words_hash", models.CharField(max_length=32)),
                (
                    "document",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="passages",
                        to="nlweb_ask.document",
                    ),
                ),
            ],
            options={
                "verbose_name": "passage",
                "verbose_name_plural": "passages",
                "constraints": [
                    models.UniqueConstraint(
                        fields=("document", "ordinal"), name="nlweb_passage_ordinal"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="ProfileRetriever",
            fields=[
                ("id", models.BigAutoField(primary_key=True, serialize=False)),
                ("name", models.CharField(max_length=100, verbose_name="retriever")),
                (
                    "weight",
                    models.FloatField(
                        default=1.0,
                        help_text="0.01 to 100. Twice the weight counts twice as much.",
                        validators=[
                            django.core.validators.MinValueValidator(0.01),
                            django.core.validators.MaxValueValidator(100.0),
                        ],
                        verbose_name="weight",
                    ),
                ),
                (
                    "order",
                    models.PositiveSmallIntegerField(
                        default=0,
                        help_text="Small numbers come first.",
                        verbose_name="order",
                    ),
                ),
                (
                    "profile",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="retrievers",
                        to="nlweb_ask.indexprofile",
                    ),
                ),
            ],
            options={
                "verbose_name": "retriever",
                "verbose_name_plural": "retrievers",
                "ordering": ["order", "id"],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("profile", "name"),
                        name="nlweb_profile_retriever",
                        violation_error_message="This profile has that retriever already.",
                    )
                ],
            },
        ),
    ]
