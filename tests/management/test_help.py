"""Every command can say what it is for."""

from __future__ import annotations

import pytest
from django.core.management import get_commands, load_command_class

OURS = {"nlweb_ask", "example_site"}
COMMANDS = {name: app for name, app in get_commands().items() if app in OURS}


@pytest.mark.parametrize("name", COMMANDS)
def test_help_of_a_command_is_printed(name):
    command = load_command_class(COMMANDS[name], name)
    assert name in command.create_parser("manage.py", name).format_help()


def test_all_commands_are_looked_at():
    ours = {"nlweb_ask", "nlweb_budget", "nlweb_eval", "nlweb_index", "nlweb_prove"}
    assert set(COMMANDS) == {*ours, "load_example"}
