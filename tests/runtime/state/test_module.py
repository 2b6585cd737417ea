"""`tf.Module`: names, scopes and what it finds in attributes. The expected values are those of TensorFlow 2.21."""

from __future__ import annotations

import pytest

import autograph as tf


class Line(tf.Module):
    def __init__(self, name=None):
        super().__init__(name=name)
        with self.name_scope:
            self.slope = tf.Variable(2.0, name="slope")
            self.kept = [tf.Variable(1.0), {"a": tf.Variable(3.0, trainable=False)}]

    @tf.Module.with_name_scope
    def extend(self):
        self.extra = tf.Variable(0.0, name="extra")
        return self.extra.name


class TwoLines(tf.Module):
    def __init__(self):
        super().__init__()
        self.lines = [Line("first"), Line("second")]
        self.again = self.lines[0]
        self.bias = tf.Variable(5.0, name="bias")


def test_names_come_from_classes():
    assert [kind().name for kind in (Line, TwoLines)] == ["line", "two_lines"]
    names = ["HTTPServer2", "ABCDef", "Conv2DLayer", "My_Mod", "ResNetV2"]
    made = [type(name, (tf.Module,), {})().name for name in names]
    assert made == ["http_server2", "abc_def", "conv2_d_layer", "my__mod", "res_net_v2"]
    assert tf.Module("mine").name == "mine"


@pytest.mark.parametrize("name", ["1a", "My Mod", ""])
def test_a_name_must_be_an_identifier(name):
    with pytest.raises(ValueError, match="is not a valid module name"):
        tf.Module(name)


def test_variables_in_alphabetical_order_of_attributes():
    line = Line()
    assert [float(v) for v in line.variables] == [1.0, 3.0, 2.0]
    assert [float(v) for v in line.trainable_variables] == [1.0, 2.0]
    assert [float(v) for v in line.non_trainable_variables] == [3.0]


def test_variables_of_modules_inside_come_last_and_once():
    lines = TwoLines()
    assert [v.name for v in lines.variables] == [
        "bias:0", "first/Variable:0", "first/Variable:0", "first/slope:0",
        "second/Variable:0", "second/Variable:0", "second/slope:0",
    ]  # fmt: skip
    assert [m.name for m in lines.submodules] == ["first", "second"]


def test_a_circle_of_modules():
    a, b = tf.Module("a"), tf.Module("b")
    a.other, b.other = b, a
    b.v = tf.Variable(1)
    assert a.variables == b.variables
    assert a.submodules == (b,)


def test_the_name_scope_is_the_same_wherever_it_is_entered():
    with tf.name_scope("outer"):
        line = Line()
    assert line.name == "line"
    assert line.name_scope.name == "outer/line/"
    assert line.slope.name == "outer/line/slope:0"
    with tf.name_scope("elsewhere"):
        assert line.extend() == "outer/line/extra:0"
        assert tf.Variable(0, name="v").name == "elsewhere/v:0"


def test_the_name_scope_holds_in_graphs():
    line = Line()

    @tf.function
    def f(x):
        with line.name_scope:
            y = x + 1
        return y * 2

    names = [node.name for node in f.get_concrete_function(tf.TensorSpec(())).graph.nodes]
    assert "line/add" in names
    assert "multiply" in names


def test_structures_of_any_kind():
    module = tf.Module()
    module.kept = ({3: tf.Variable(1), "a": [tf.Variable(2), None]}, "text")
    assert [int(v) for v in module.variables] == [1, 2]
