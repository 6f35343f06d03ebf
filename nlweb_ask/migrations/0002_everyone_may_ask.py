"""The grant a new installation begins with: everyone may ask every profile.

The site still answers nothing until its owner switches it on.
"""

from __future__ import annotations

from typing import Any, ClassVar

from django.db import migrations


def grant_everyone(apps: Any, schema_editor: Any) -> None:
    grants = apps.get_model("nlweb_ask", "AccessGrant").objects
    grants.using(schema_editor.connection.alias).get_or_create(
        profile=None, kind="everyone", group=None, user=None
    )


class Migration(migrations.Migration):
    dependencies: ClassVar = [("nlweb_ask", "0001_initial")]

    operations: ClassVar = [
        # Going back keeps the rows: the owner may have changed them since.
        migrations.RunPython(grant_everyone, migrations.RunPython.noop),
    ]
