"""An engine for autograph that runs sums of vectors with Python's own floats, and says so."""

from math import fsum

import numpy as np

compiled = []


class Exact:
    name, library, product, most_nodes = "exact", "", "exact sums", 1000
    cuts_loops, device = True, None

    def is_wanted(self):
        return False

    def missing(self):
        return None

    def obstacle(self, node):
        is_sum = node.op.name == "sum" and node.inputs[0].type.shape is not None and len(node.inputs[0].type.shape) == 1
        return None if is_sum else f"{node.op.name} is no sum of a vector"

    def pays(self, nodes):
        return True

    def work_of_compiling(self, nodes):
        return 0

    def compile(self, graph, types, look=None):
        compiled.append([str(each) for each in types])

        def entry(*arrays):
            if [(x.shape, x.dtype) for x in arrays] != [(each.shape, each.dtype.numpy) for each in types]:
                return None
            values = dict(zip(graph.inputs, arrays, strict=True))
            for node in graph.nodes:
                if node.op.name == "sum":
                    x = values[node.inputs[0]]
                    values[node.outputs[0]] = np.asarray(fsum(x.tolist()), x.dtype)
            return tuple(values[each] for each in graph.outputs)

        return entry
