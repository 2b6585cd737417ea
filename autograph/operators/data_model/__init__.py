"""Python's data model: what Python does with objects of the user's classes by itself, with their methods converted."""
