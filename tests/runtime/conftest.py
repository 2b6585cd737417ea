"""Every graph that these tests trace is checked."""

from __future__ import annotations

import pytest

from autograph.config import settings


@pytest.fixture(autouse=True)
def _checks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings, "checks", True)
