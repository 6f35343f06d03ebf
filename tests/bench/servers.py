"""Make and drop the database of one measurement on PostgreSQL."""

from __future__ import annotations

import os
import sys

import psycopg
from psycopg import sql

ORDERS = {"create": "CREATE DATABASE {}", "drop": "DROP DATABASE IF EXISTS {}"}


def main(order: str, name: str) -> None:
    user = os.environ.get("POSTGRES_USER", "postgres")
    with psycopg.connect(
        host="127.0.0.1", dbname="postgres", user=user, autocommit=True
    ) as connection:
        connection.execute(sql.SQL(ORDERS[order]).format(sql.Identifier(name)))


if __name__ == "__main__":
    main(*sys.argv[1:])
