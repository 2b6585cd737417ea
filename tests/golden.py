"""Golden tests: text files of cases, `[case name]` … `[out]` …, whose expected part `--update-golden` writes anew.

Before the first case a file may have a header of `key: value` lines.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass
class Golden:
    """A file of cases."""

    header: dict[str, str]
    cases: dict[str, tuple[str, str]]
    """What goes in and what comes out, by the name of the case."""

    @classmethod
    def read(cls, path: Path) -> Golden:
        header_text, *sections = path.read_text().split("[case ")
        header = dict(line.split(": ", 1) for line in header_text.splitlines() if line)
        cases = {}
        for section in sections:
            name, _, rest = section.partition("]\n")
            source, _, expected = rest.partition("[out]\n")
            assert name not in cases, f"{path.name} has two cases called {name!r}"
            cases[name] = source.strip("\n"), expected.strip("\n")
        return cls(header, cases)

    def write(self, path: Path) -> None:
        parts = ["\n".join(f"{key}: {value}" for key, value in self.header.items())] if self.header else []
        parts += [f"[case {name}]\n{source}\n[out]\n{expected}" for name, (source, expected) in self.cases.items()]
        path.write_text("\n\n".join(parts) + "\n")
