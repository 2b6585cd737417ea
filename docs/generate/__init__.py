"""Pages that are made of the code itself. `python -m docs.generate` writes them to `docs/generated/`."""

from __future__ import annotations

from pathlib import Path

from . import examples as examples
from . import names, passes, reference

GENERATED = Path(__file__).parents[1] / "generated"


def write() -> None:
    """Writes all generated pages."""
    pages = {"names.md": names.page(), "passes.md": passes.page(), **reference.pages()}
    GENERATED.mkdir(exist_ok=True)
    for name, text in pages.items():
        path = GENERATED / name
        if not path.exists() or path.read_text() != text:
            path.write_text(text)
