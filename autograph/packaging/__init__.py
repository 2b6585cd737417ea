"""What PyInstaller is told, by the entry point `pyinstaller40`, of how autograph is packed."""

from __future__ import annotations

from pathlib import Path


def hook_folders() -> list[str]:
    """The folders with hooks for PyInstaller."""
    return [str(Path(__file__).parent / "hooks")]
