"""How Sphinx builds these pages: `python -m sphinx docs build/docs`."""

import sys
from pathlib import Path

DOCS = Path(__file__).parent
sys.path.insert(0, str(DOCS.parent))

project = "autograph"
author = "The autograph developers"
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
exclude_patterns = ["generate", "data"]
myst_enable_extensions = ["colon_fence"]
myst_heading_anchors = 3
default_role = "code"  # docstrings are written with single backticks
html_theme = "furo"
html_title = "autograph"
html_show_copyright = False
autodoc_type_aliases = {name: name for name in ("Axis", "DTypeLike", "Ints", "PaddingLike", "ShapeLike", "TensorLike")}
autodoc_class_signature = "mixed"
suppress_warnings = ["autodoc", "docutils", "ref", "myst.header", "toc.not_included"]

from docs import generate  # noqa: E402  (the folder is found by the path above)

generate.write()

_SECTIONS = {"Parameters": "Args:", "Attributes": "Attributes:", "Returns": "Returns:", "Raises": "Raises:"}


def _google_sections(app: object, what: str, name: str, value: object, options: object, lines: list[str]) -> None:
    """Sections with underlines become indented ones, where napoleon reads entries as `name: text`."""
    made, inside = [], False
    for number, line in enumerate(lines):
        following = lines[number + 1] if number + 1 < len(lines) else ""
        if line in _SECTIONS and set(following) == {"-"}:
            made.append(_SECTIONS[line])
            inside = True
        elif inside and line and set(line) == {"-"}:
            continue
        else:
            inside = inside and bool(line)
            made.append(f"    {line}" if inside else line)
    lines[:] = made


def _examples(app: object, what: str, name: str, value: object, options: object, lines: list[str]) -> None:
    """What has no example in its docstring gets one, if there is a call that shows it."""
    if what in {"function", "class"} and not any(">>>" in line for line in lines):
        lines += ["", *generate.examples.example(name.removeprefix("autograph."), value), ""]  # type: ignore[arg-type]


def setup(app: object) -> None:
    app.connect("autodoc-process-docstring", _google_sections, priority=400)  # type: ignore[attr-defined]
    app.connect("autodoc-process-docstring", _examples, priority=300)  # type: ignore[attr-defined]
