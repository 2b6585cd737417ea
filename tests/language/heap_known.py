"""The cases of `test_heap_regressions` that are wrong still; a name goes when its case is right."""

from __future__ import annotations

WRONG: dict[str, tuple[str, ...]] = {
    "changes in place": (
        "appended, add",
        "appended, multiply",
        "appended, add of a tuple",
        "loop, add",
        "loop, multiply",
        "loop, add of a tuple",
        "while, add",
        "while, multiply",
        "while, add of a tuple",
        "dict, loop",
    ),
    "cells": (
        "nonlocal in a loop",
    ),
}
