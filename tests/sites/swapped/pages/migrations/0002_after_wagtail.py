from __future__ import annotations

import django.db.models.deletion
import wagtail.fields
from django.conf import settings
from django.db import migrations, models


def give_a_locale(apps, schema_editor):
    """To the root page, which Wagtail's own migrations make."""
    locale, _ = apps.get_model("wagtailcore", "Locale").objects.get_or_create(
        language_code="en"
    )
    apps.get_model("dock", "DockPage").objects.update(locale=locale)


class Migration(migrations.Migration):
    dependencies = [("dock", "0001_initial"), ("wagtailcore", "0098_apitoken")]

    operations = [
        migrations.AddField(
            model_name="dockpage",
            name="latest_revision",
            field=models.ForeignKey(
                blank=True,
                editable=False,
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="+",
                to="wagtailcore.revision",
                verbose_name="latest revision",
            ),
        ),
        migrations.AddField(
            model_name="dockpage",
            name="live_revision",
            field=models.ForeignKey(
                blank=True,
                editable=False,
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="+",
                to="wagtailcore.revision",
                verbose_name="live revision",
            ),
        ),
        migrations.AddField(
            model_name="dockpage",
            name="locale",
            field=models.ForeignKey(
                null=True,
                editable=False,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to="wagtailcore.locale",
                verbose_name="locale",
            ),
        ),
        migrations.RunPython(give_a_locale, migrations.RunPython.noop),
        migrations.AlterField(
            model_name="dockpage",
            name="locale",
            field=models.ForeignKey(
                editable=False,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to="wagtailcore.locale",
                verbose_name="locale",
            ),
        ),
        migrations.AlterUniqueTogether(
            name="dockpage", unique_together={("translation_key", "locale")}
        ),
        migrations.CreateModel(
            name="BerthPage",
            fields=[
                (
                    "dockpage_ptr",
                    models.OneToOneField(
                        auto_created=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        parent_link=True,
                        primary_key=True,
                        serialize=False,
                        to=settings.WAGTAIL_PAGE_MODEL,
                    ),
                ),
                ("body", wagtail.fields.RichTextField(blank=True)),
            ],
            options={
                "abstract": False,
            },
            bases=("dock.dockpage",),
        ),
    ]
