"""What autograph has to do with other packages.

PyInstaller is told, by the entry point `pyinstaller40`, how it is packed; `plugins` finds what others add to it.
"""

from __future__ import annotations

import os


def hook_folders() -> list[str]:
    """The folders with hooks for PyInstaller."""
    return [os.path.join(os.path.dirname(__file__), "hooks")]
