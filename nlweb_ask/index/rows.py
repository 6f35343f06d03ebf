"""Rows of the index past the ORM: many in one statement, and no instance of a model.

What is written here are the index's own tables, whose columns have no signals, no
choices to check and no expressions. Every value is a parameter.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from functools import lru_cache
from typing import Any

from django.db import connections, models


def insert(
    alias: str,
    model: type[models.Model],
    columns: tuple[str, ...],
    rows: Sequence[Sequence[Any]],
) -> None:
    """Insert rows; `columns` are names of columns, in the order of each row's values."""
    _run(alias, _insert_statement(alias, model, columns), rows)


def update(
    alias: str,
    model: type[models.Model],
    columns: tuple[str, ...],
    rows: Sequence[Sequence[Any]],
) -> None:
    """Write columns of rows that are known by their ids: the last value of each."""
    _run(alias, _update_statement(alias, model, columns), rows)


def delete(
    alias: str, model: type[models.Model], column: str, values: Collection[Any]
) -> None:
    """Delete the rows with one of these values; nothing goes with them."""
    quote = connections[alias].ops.quote_name
    most = connections[alias].features.max_query_params or len(values)
    wanted = list(values)
    with connections[alias].cursor() as cursor:
        for begin in range(0, len(wanted), most):
            some = wanted[begin : begin + most]
            marks = ", ".join(["%s"] * len(some))
            cursor.execute(
                f"DELETE FROM {quote(model._meta.db_table)}"  # noqa: S608
                f" WHERE {quote(column)} IN ({marks})",
                some,
            )


def _run(alias: str, statement: str, rows: Sequence[Sequence[Any]]) -> None:
    if not rows:
        return
    with connections[alias].cursor() as cursor:
        if len(rows) == 1:
            cursor.execute(statement, rows[0])
        else:
            cursor.executemany(statement, rows)


@lru_cache(maxsize=64)
def _insert_statement(
    alias: str, model: type[models.Model], columns: tuple[str, ...]
) -> str:
    quote = connections[alias].ops.quote_name
    names = ", ".join(map(quote, columns))
    marks = ", ".join(_marks(alias, model, columns))
    # The names are Django's own, quoted.
    return f"INSERT INTO {quote(model._meta.db_table)} ({names}) VALUES ({marks})"  # noqa: S608


@lru_cache(maxsize=64)
def _update_statement(
    alias: str, model: type[models.Model], columns: tuple[str, ...]
) -> str:
    quote = connections[alias].ops.quote_name
    marks = _marks(alias, model, columns)
    values = ", ".join(
        f"{quote(column)} = {mark}" for column, mark in zip(columns, marks, strict=True)
    )
    return f"UPDATE {quote(model._meta.db_table)} SET {values} WHERE id = %s"  # noqa: S608


def _marks(
    alias: str, model: type[models.Model], columns: Iterable[str]
) -> Iterable[str]:
    """Return the place of each value; MariaDB would take bytes for text of its own."""
    binary = {
        field.column
        for field in model._meta.concrete_fields
        if isinstance(field, models.BinaryField)
    }
    is_mysql = connections[alias].vendor == "mysql"
    return [
        "_binary %s" if is_mysql and column in binary else "%s" for column in columns
    ]
