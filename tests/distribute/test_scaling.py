"""What devices tell each other in a training step is its gradients, and nothing that grows with the batch."""

from __future__ import annotations

import pytest

from .scaling import MODELS, rows, sent

pytest.importorskip("jax")


def test_data_parallel_steps_add_up_gradients_alone() -> None:
    names = [name for name in MODELS if "model parallel" not in name]
    for row in rows(8, names):
        assert row["sent"].keys() == {"all-reduce"}, row
        # Beside the gradients, in float32: the loss, and the statistics of batches.
        assert 4 * row["parameters"] * 0.99 < row["sent"]["all-reduce"] < 4 * row["parameters"] * 1.02, row


def test_a_divided_model_holds_less_and_adds_up_activations() -> None:
    whole, divided = rows(8, ["transformer", "transformer, model parallel"])
    assert divided["sent"].keys() == {"all-reduce"}
    assert divided["held"] < 0.75 * whole["held"] and divided["sent"]["all-reduce"] > whole["sent"]["all-reduce"]


def test_sizes_of_collectives_are_read_from_a_program() -> None:
    program = """
      %a = f32[4,8]{1,0} all-reduce(%x), channel_id=1
      %b = (bf16[2]{0}, pred[3]{0}, f64[]) all-reduce(%x, %y, %z), channel_id=2
      %c = s32[10]{0} all-gather-start(%x), channel_id=3
      %d = f32[4,8]{1,0} add(%a, %a)
    """
    assert sent(program) == {"all-reduce": 4 * 32 + 2 * 2 + 3 + 8, "all-gather": 40}
