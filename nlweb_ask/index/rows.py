"""Rows of the index past the ORM: many in one statement, and no instance of a model.

What is written here are the index's own tables, whose columns have no signals, no
choices to check and no expressions. Every value is a parameter.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, Final

from django.db import connections, models

# No database takes any number of values in one statement.
AT_ONCE: Final = 500


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
    alias: str, model: type[models.Model], column: str, values: Sequence[Any]
) -> None:
    """Delete the rows with one of these values; nothing goes with them."""
    quote = connections[alias].ops.quote_name
    statement = f"DELETE FROM {quote(model._meta.db_table)}"  # noqa: S608
    for some in _parts(values):
        wanted, parameters = _one_of(alias, {column: some})
        with connections[alias].cursor() as cursor:
            cursor.execute(f"{statement} WHERE {wanted}", parameters)


def select(
    alias: str,
    model: type[models.Model],
    columns: Iterable[str],
    *,
    source: str,
    object_ids: Collection[str],
) -> list[tuple[Any, ...]]:
    """Return columns of the rows of some objects, in the order of their ids.

    `source` and `object_id` are the first two columns. Some collations find `A` where
    `a` was asked for: here it is not.
    """
    quote = connections[alias].ops.quote_name
    names = ", ".join(map(quote, ("source", "object_id", *columns)))
    statement = f"SELECT {names} FROM {quote(model._meta.db_table)}"  # noqa: S608
    found: list[tuple[Any, ...]] = []
    for some in _parts(list(object_ids)):
        wanted, parameters = _one_of(alias, {"source": [source], "object_id": some})
        with connections[alias].cursor() as cursor:
            cursor.execute(f"{statement} WHERE {wanted} ORDER BY id", parameters)
            found += cursor.fetchall()
    asked = set(object_ids)
    return [row for row in found if row[0] == source and row[1] in asked]


def _one_of(
    alias: str, wanted: Mapping[str, Sequence[Any]]
) -> tuple[str, tuple[Any, ...]]:
    quote = connections[alias].ops.quote_name
    marks = {name: ", ".join(["%s"] * len(values)) for name, values in wanted.items()}
    condition = " AND ".join(f"{quote(name)} IN ({marks[name]})" for name in wanted)
    return condition, tuple(value for values in wanted.values() for value in values)


def _parts(values: Sequence[Any]) -> Iterator[Sequence[Any]]:
    for begin in range(0, len(values), AT_ONCE):
        yield values[begin : begin + AT_ONCE]


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
    """Return the place of each value; MariaDB would take bytes for text.

    And it takes no NULL for bytes: rows without them name no such column.
    """
    binary = {
        field.column
        for field in model._meta.concrete_fields
        if isinstance(field, models.BinaryField)
    }
    is_mysql = connections[alias].vendor == "mysql"
    return [
        "_binary %s" if is_mysql and column in binary else "%s" for column in columns
    ]
