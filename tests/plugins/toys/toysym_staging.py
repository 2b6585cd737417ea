"""What stages `if` on the formulas of `toysym`, for autograph."""

import toysym

from autograph.operators.dispatch import Backend
from autograph.operators.staging.heap.state import Journal


class Formulas(Backend):
    name = "toysym"

    def owns(self, value_type):
        return value_type is toysym.Sym

    def staging(self):
        return toysym.tracing

    def if_stmt(self, test, body, orelse, names):
        (then, one), (other, two) = self._run(body, names), self._run(orelse, names)
        for key, (location, old, _) in {**one, **two}.items():
            ways = [changes[key][2] if key in changes else old for changes in (one, two)]
            location.set(self._chosen(test, *ways))
        return None if then is None and other is None else self._chosen(test, then, other)

    def _run(self, body, names):
        with Journal((body,), names) as journal:
            result = body()
            changes = journal.changes()
            journal.undo()
        return result, changes

    def _chosen(self, test, one, other):
        return toysym.Sym(f"({toysym.text_of(one)} if {test.text} else {toysym.text_of(other)})")
