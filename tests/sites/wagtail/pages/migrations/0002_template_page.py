from __future__ import annotations

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("harbour", "0001_initial"),
    ]

    operations = [
        migrations.CreateModel(
            name="TemplatePage",
            fields=[
                (
                    "plainpage_ptr",
                    models.OneToOneField(
                        auto_created=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        parent_link=True,
                        primary_key=True,
                        serialize=False,
                        to="harbour.plainpage",
                    ),
                ),
            ],
            options={
                "abstract": False,
            },
            bases=("harbour.plainpage",),
        ),
    ]
