"""The memory of one compiled graph, laid out while its code is written."""

from __future__ import annotations


class Slot:
    """A part of the workspace; it is given back when no buffer in use needs it."""

    def __init__(self, workspace: Workspace, offset: int, size: int) -> None:
        self._workspace, self.offset, self.size = workspace, offset, size

    def __del__(self) -> None:
        self._workspace.free(self.offset, self.size)


class Workspace:
    """The memory of one compiled graph, laid out while it is written: slots are reused as soon as they are free."""

    ALIGNMENT = 64

    def __init__(self) -> None:
        self.size = 0
        self._free: list[tuple[int, int]] = []

    def take(self, size: int) -> Slot:
        """The smallest free part that is large enough, or one at the end."""
        size = -(-max(size, 1) // self.ALIGNMENT) * self.ALIGNMENT
        fitting = [part for part in self._free if part[1] >= size]
        if fitting:
            offset, length = min(fitting, key=lambda part: part[1])
            self._free.remove((offset, length))
            if length > size:
                self._free.append((offset + size, length - size))
            return Slot(self, offset, size)
        offset, self.size = self.size, self.size + size
        return Slot(self, offset, size)

    def free(self, offset: int, size: int) -> None:
        for part in self._free:  # join neighbours, so that large slots can be found again
            if part[0] + part[1] == offset or offset + size == part[0]:
                self._free.remove(part)
                return self.free(min(part[0], offset), part[1] + size)
        self._free.append((offset, size))
        return None
