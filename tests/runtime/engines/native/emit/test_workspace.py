"""Parts of the workspace do not overlap while they are in use, and are used again: in time that does not grow."""

from __future__ import annotations

from random import Random

from hypothesis import given
from hypothesis import strategies as st

from autograph.runtime.engines.native.emit.workspace import Slot, Workspace
from tests.programs.profile import examples
from tests.work import work


@examples(100)
@given(st.randoms(use_true_random=False))
def test_slots_do_not_overlap(random: Random) -> None:
    workspace = Workspace()
    slots: list[Slot] = []
    for _ in range(60):
        if slots and random.random() < 0.45:
            del slots[random.randrange(len(slots))]
        else:
            size = random.choice([0, 1, 64, 65, 200, 1000])
            slots.append(workspace.take(size))
            assert slots[-1].size >= size and slots[-1].offset % Workspace.ALIGNMENT == 0
        slots.sort(key=lambda slot: slot.offset)
        ends = [0, *[slot.offset + slot.size for slot in slots]]
        assert all(slot.offset >= end for slot, end in zip(slots, ends, strict=False)) and ends[-1] <= workspace.size
    whole = workspace.size
    slots.clear()
    assert workspace.take(whole).offset == 0 and workspace.size == whole


def test_many_slots() -> None:
    def cost(count: int) -> int:
        workspace = Workspace()
        slots = [workspace.take(64 * (1 + i % 7)) for i in range(count)]

        def use() -> None:
            del slots[::2]
            slots.extend([workspace.take(64 * (1 + i % 5)) for i in range(count)])
            slots.clear()

        return work(use)

    assert cost(1000) < 11 * cost(100)
