"""The graph: nodes, values, the record of an op, its effects; the checker; graphs as text and pictures."""
