"""L11: an element of a list is the same object as the variable that holds it: changes of one are seen by the other."""

from __future__ import annotations

from typing import Any

import pytest

from .support import check


def element_of_a_python_list(n):
    rows = [[1], [2]]
    row = rows[n % 2]
    rows[0].append(5)
    return row, len(row)


def changed_element_of_a_python_list(n):
    rows = [[1], [2]]
    row = rows[n % 2]
    row.append(5)
    return rows, row


@pytest.mark.parametrize("function", [element_of_a_python_list, changed_element_of_a_python_list])
def test_an_element_under_a_staged_index_is_the_element(function: Any) -> None:
    check(function, 0, 1, 2)
