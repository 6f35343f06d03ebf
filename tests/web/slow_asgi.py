"""The slow site for ASGI servers that take no factory."""

from __future__ import annotations

from django.core.asgi import get_asgi_application

application = get_asgi_application()
