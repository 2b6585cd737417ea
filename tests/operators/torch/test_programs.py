"""Programs with Python's control flow do under `torch.compile` and `torch.export` what they do eagerly."""

from __future__ import annotations

import pytest

from tests.operators.jax.programs import PROGRAMS

from .ways import WAYS, run

BY_FUNCTION = {}
for _function, _arguments in PROGRAMS:
    BY_FUNCTION.setdefault(_function, []).append(_arguments)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("function", BY_FUNCTION, ids=lambda each: each.__name__)
def test_shared_programs(function, way):
    run(function, way, *BY_FUNCTION[function])
