"""Functions whose every evaluation is noted: `t(name, value)` notes the name and returns the value.

`test_meaning.py` runs each of them as it is and in both converted forms.
"""
