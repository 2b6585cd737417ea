"""`tf.compat.v1`: graphs built by hand, and sessions that run parts of them; control dependencies."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import autograph as tf

v1 = tf.compat.v1


def test_a_session() -> None:
    eye = np.eye(2, dtype=np.float32)
    with tf.Graph().as_default() as graph:
        x = v1.placeholder(tf.float32, shape=(None, 2), name="x")
        y = tf.matmul(x, x)
        total = tf.reduce_sum(y)
        session = v1.Session()
        assert v1.get_default_graph() is graph and str(x) == 'Tensor("x:0", shape=(None, 2), dtype=float32)'
        np.testing.assert_array_equal(session.run(y, {x: 2 * eye}), 4 * eye)
        found = session.run([total, {"a": x, "b": (y, y.op)}], {x: eye})
        assert found[0] == 2.0 and type(found[0]) is np.float32 and found[1]["b"][1] is None
        np.testing.assert_array_equal(found[1]["a"], eye)
        assert session.run("x:0", {"x:0": eye}).shape == (2, 2)
        assert session.run(total, {y: 5 * eye}) == 10.0, "any tensor can be fed"
        assert session.run(tf.constant(2)) == 2
        assert graph.get_tensor_by_name(y.name).op is graph.get_operation_by_name(y.op.name) is y.op
    with v1.Session(graph=graph) as session:
        assert v1.get_default_session() is session and v1.get_default_graph() is graph
        assert total.eval({x: eye}) == 2.0
    assert v1.get_default_session() is None and v1.get_default_graph() is not graph


def test_mistakes() -> None:
    with pytest.raises(RuntimeError, match="not compatible with eager"):
        v1.placeholder(tf.float32)
    with pytest.raises(RuntimeError, match="graph is empty"):
        v1.Session().run(tf.constant(1))
    with tf.Graph().as_default():
        x = v1.placeholder(tf.float32, shape=(None, 2), name="x")
        y = x + 1
        session = v1.Session()
        with pytest.raises(tf.errors.InvalidArgumentError, match="must feed a value for placeholder tensor 'x'"):
            session.run(y)
        with pytest.raises(ValueError, match=r"Cannot feed value of shape \(3, 3\) for Tensor x:0"):
            session.run(y, {x: np.zeros((3, 3))})
        with pytest.raises(TypeError, match="Argument `fetch` = 3"):
            session.run(3)
        for name in ("nope", "nope:0", "x:1", "x:a"):
            with pytest.raises(ValueError):
                session.run(name)
        with pytest.raises(ValueError, match="No default session"):
            y.eval({x: np.zeros((1, 2))})
        session.close()
        with pytest.raises(RuntimeError, match="closed Session"):
            session.run(y)
    with tf.Graph().as_default() as other:
        tf.constant(1) + 1
        with pytest.raises(ValueError, match="not an element of this session's graph"):
            v1.Session(graph=other).run(y)


def test_variables_and_effects(capfd: pytest.CaptureFixture[str]) -> None:
    with tf.Graph().as_default(), v1.Session() as session:
        v = v1.Variable(3.0)
        step = v.assign_add(1.0)
        double = v * 2
        shown = tf.print("v is", v)
        session.run(v1.global_variables_initializer())
        assert session.run(v) == 3.0 and session.run(double) == 6.0, "only what is fetched runs"
        assert capfd.readouterr().err == ""
        assert session.run(step) == 4.0 and session.run(step) == 5.0
        assert session.run(shown) is None and capfd.readouterr().err == "v is 5\n"
        with tf.control_dependencies([v.assign_add(10.0)]):
            after = tf.identity(v)
        assert session.run(after) == 15.0
        both = tf.group(v.assign(1.0), tf.print("set"))
        assert session.run(both) is None and session.run(v) == 1.0 and capfd.readouterr().err == "set\n"
        session.run(v1.global_variables_initializer())
        assert session.run(v) == 3.0


def test_control_flow_and_defaults() -> None:
    with tf.Graph().as_default() as graph, v1.Session() as session:
        n = v1.placeholder_with_default(tf.constant(5), ())
        total = tf.while_loop(lambda i, s: i < n, lambda i, s: (i + 1, s + i), (0, 0))[1]
        assert session.run(total) == 10 and session.run(total, {n: 3}) == 3
        fold = tf.cond(n > 4, lambda: n * 2, lambda: n)
        assert session.run(fold) == 10 and session.run(fold, {n: 1}) == 1
        with tf.control_dependencies([fold]):
            last = tf.no_op("last")
        (node,) = [each for each in graph.as_graph_def().node if each.name == "last"]
        assert node.input == [f"^{fold.op.name}"] and session.run(last) is None


def test_in_functions_and_eagerly() -> None:
    log: list[Any] = []

    @tf.function
    def function(x: Any) -> Any:
        with tf.control_dependencies([tf.print("one"), None]), tf.device("/CPU:0"):
            a, b = tf.tuple([x, x + 1])
        with tf.init_scope():
            log.append(tf.constant(1).numpy())
        return a + b

    assert function(tf.constant(1)).numpy() == 3 and log == [1]
    with tf.control_dependencies([tf.constant(1)]):
        assert tf.group(tf.constant(1)) is None and tf.no_op() is None
    with pytest.raises(TypeError, match="Control input"), tf.control_dependencies(["text"]):
        pass
    with pytest.raises(TypeError, match="a device"), tf.device(3):
        pass


def test_the_variables_of_the_default_graph() -> None:
    with tf.Graph().as_default():
        weight, step = tf.Variable(1.0), tf.Variable(0, trainable=False)
        assert [id(v) for v in tf.compat.v1.global_variables()] == [id(weight), id(step)]
        assert [id(v) for v in tf.compat.v1.trainable_variables()] == [id(weight)]
    with tf.Graph().as_default():
        assert tf.compat.v1.global_variables() == []


def test_an_operation_stays_the_same_one_after_gradients_went_through_it() -> None:
    with tf.Graph().as_default(), v1.Session() as session:
        x, turns = v1.placeholder(tf.float32, ()), tf.Variable(0)

        def body(i: Any, y: Any) -> Any:
            turns.assign_add(1)
            return i + 1, y * x

        n = v1.placeholder_with_default(tf.constant(3), ())
        y = tf.while_loop(lambda i, _: i < n, body, (0, x))[1]
        operation = y.op
        with tf.control_dependencies([operation]):
            last = tf.no_op("last")
        (gradient,) = tf.gradients(y, x)
        assert session.run(gradient, {x: 2.0}) == 32.0 and session.run(turns) == 3
        assert session.run(operation, {x: 2.0}) is None and session.run(turns) == 6
        assert session.run(last, {x: 2.0}) is None and session.run(turns) == 9
