"""What everything else of the runtime stands on: dtypes, shapes, structures, places in the source, threads."""
