"""The table of sources that must be asked about all their pages again."""

from __future__ import annotations

from typing import ClassVar

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies: ClassVar = [("nlweb_ask", "0002_everyone_may_ask")]

    operations: ClassVar = [
        migrations.CreateModel(
            name="Recheck",
            fields=[
                ("id", models.BigAutoField(primary_key=True, serialize=False)),
                ("source", models.CharField(max_length=100, verbose_name="source")),
                ("created", models.DateTimeField(auto_now_add=True)),
            ],
            options={"verbose_name": "recheck", "verbose_name_plural": "rechecks"},
        ),
    ]
