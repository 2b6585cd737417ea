"""Joins the two halves: what `tf.function` traces is converted first.

The runtime knows nothing of conversion; what it asks of it is handed over here.
"""

from __future__ import annotations

from .operators.calls import call
from .operators.staging.control.origins import is_refusal
from .operators.staging.control.tracing import traced
from .operators.staging.outside.outside_places import place_of
from .pipeline import why_not_converted
from .runtime.functions.function import function as function
from .runtime.tensors import front_half

front_half.CONVERTED.give(traced)
front_half.STAGED_FORM.give(call)
front_half.WHY_NOT_CONVERTED.give(why_not_converted)
front_half.IS_REFUSAL.give(is_refusal)
front_half.PLACE_OF.give(place_of)
