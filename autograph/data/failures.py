"""Errors in place of elements: they pass through a pipeline, which so goes on after them.

What makes an element gives a `Failure` where that raises; datasets hand on those of their sources. The iterator of the
program raises the error, or `ignore_errors` leaves it out. What a pipeline itself raises ends it.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from .structure import Element

__all__ = ["Failure", "Item", "Rows", "attempt", "raised", "take_rows"]


class Failure:
    """The error that the making of an element has raised."""

    __slots__ = ("error",)

    def __init__(self, error: Exception) -> None:
        self.error = error


Item = Element | Failure
Rows = tuple[list[Any], Callable[[], Iterator[Any]]]
"""Arrays, and what starts an iteration over the numbers of rows of them."""


def attempt(make: Callable[..., Element], *arguments: object) -> Item:
    """What a function gives, or its failure."""
    try:
        return make(*arguments)
    except Exception as error:
        return Failure(error)


def take_rows(source: Iterator[Item], count: int) -> list[Element] | Failure:
    """The next elements, fewer at the end; or the first failure among them, and they are gone."""
    rows: list[Element] = []
    for item in itertools.islice(source, count):
        if isinstance(item, Failure):
            return item
        rows.append(item)
    return rows


def raised(items: Iterable[Item]) -> Iterator[Element]:
    """The elements; the first failure is raised."""
    for item in items:
        if isinstance(item, Failure):
            raise item.error
        yield item
