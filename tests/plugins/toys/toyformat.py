"""A format of files for autograph: a graph as lines of text, one for each node."""


def write(concrete, path, *, title="graph"):
    """Write the nodes of a graph, one on each line."""
    names, lines = {}, [f"# {title}"]
    for node in concrete.optimized_graph.nodes:
        for output in node.outputs:
            names[output] = f"v{len(names)}"
        results = ", ".join(names[each] for each in node.outputs)
        if node.op.name == "constant":
            lines.append(f"{results} = {node.attributes['value'].tolist()}")
        elif node.op.name == "placeholder":
            lines.append(f"{results}: {node.outputs[0].type}")
        else:
            lines.append(f"{results} = {node.op.name}({', '.join(names[each] for each in node.inputs)})")
    lines.append("return " + ", ".join(names[each] for each in concrete.optimized_graph.outputs))
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")
