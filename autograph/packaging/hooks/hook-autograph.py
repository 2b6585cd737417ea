"""PyInstaller's hook: modules load when a name is first used, and passes read their templates' source."""

from PyInstaller.utils.hooks import collect_submodules

hiddenimports = collect_submodules("autograph", on_error="ignore")
module_collection_mode = {"autograph": "pyz+py"}
