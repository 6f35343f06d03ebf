"""How many connections to the database a stream keeps: counted by the database."""

from __future__ import annotations

import asyncio
import time
from contextlib import closing

import pytest
from asgiref.sync import ThreadSensitiveContext, sync_to_async
from django.db import connection
from django.test import AsyncRequestFactory, RequestFactory

from nlweb_ask.web.streaming import send_live

pytestmark = [pytest.mark.servers, pytest.mark.django_db(transaction=True)]


def query():
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")


def produce(stop):
    query()
    yield b"a"
    stop.wait(10)
    yield b"too late"


@pytest.fixture
def opened():
    """Count the connections to this database, other than the one that counts."""
    if connection.vendor != "postgresql":
        pytest.skip("PostgreSQL says how many connections there are")
    connection.close()
    counting = connection.get_new_connection(
        {**connection.get_connection_params(), "autocommit": True}
    )
    sql = (
        "SELECT count(*) FROM pg_stat_activity "
        "WHERE datname = current_database() AND pid <> pg_backend_pid()"
    )
    with closing(counting):
        yield lambda: counting.execute(sql).fetchone()[0]


def falls_to(opened, number):
    until = time.monotonic() + 5
    while opened() > number and time.monotonic() < until:
        time.sleep(0.05)
    return opened() == number


def test_stream_under_wsgi_keeps_one_connection_while_it_runs(opened):
    query()  # as the view does
    response = send_live(
        RequestFactory().get("/ask"), produce, lambda _sent, _end: iter(())
    )
    chunks = iter(response)
    assert next(chunks) == b"a"

    assert falls_to(opened, 1)
    response.close()
    assert falls_to(opened, 0)


def test_stream_under_asgi_keeps_one_connection_while_it_runs(opened):
    async def serve():
        async with ThreadSensitiveContext():
            await sync_to_async(query)()  # as the view does
            response = send_live(
                AsyncRequestFactory().get("/ask"), produce, lambda _sent, _end: iter(())
            )
            chunks = aiter(response)
            assert await anext(chunks) == b"a"
            assert await asyncio.to_thread(falls_to, opened, 1)
            response.close()
            await chunks.aclose()

    asyncio.run(serve())
    assert falls_to(opened, 0)
