"""Running a command in tests, as a shell would see it."""

from __future__ import annotations

import io

from django.core.management import CommandError, call_command


def run_command(name: str, *args: object) -> tuple[int, str]:
    """Run the command; return its exit code and all that it printed."""
    out = io.StringIO()
    try:
        call_command(name, *map(str, args), stdout=out, stderr=out)
    except SystemExit as exited:
        return int(exited.code or 0), out.getvalue()
    except CommandError as error:
        return error.returncode, out.getvalue() + str(error)
    return 0, out.getvalue()
