"""`try`, `raise` and `with` in traces: exceptions that a staged condition raises, and what would catch them (L15)."""

from __future__ import annotations

import contextlib
import sys
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import autograph as tf
from autograph.errors import MutationError, OutOfRangeError, StagingError

from .support import check


class StopHere(ValueError):
    pass


def simple(x: Any) -> Any:
    try:
        if x < 0:
            raise ValueError("negative")
        y = x * 2
    except ValueError:
        y = 0
    return y


def state_at_the_raise(x: Any) -> Any:
    n = 0
    try:
        n = n + 1
        if x > 5:
            n = n + x
            raise KeyError("a")
        n = n + 10
        if x < 0:
            n = n + 100
            raise StopHere("bb")
        n += 1000
    except (KeyError, IndexError):
        n = n * 2
    except ValueError as error:
        n = n * 3 + len(str(error)) + isinstance(error, StopHere)
    else:
        n = n + 7
    finally:
        n = n + 1
    return n


def returns(x: Any) -> Any:
    try:
        if x < 0:
            raise ValueError
        return x * 2
    except ValueError:
        if x < -1:
            return -1
    finally:
        x = x + 1
    return x


def in_a_loop(x: Any) -> Any:
    total = 0
    for i in range(4):
        try:
            if x < i:
                raise ValueError
            total = total + 1
        except ValueError:
            total = total + 10
            if total > 25:
                break
            continue
        total = total + 100
    return total


def in_a_staged_loop(x: Any) -> Any:
    n, caught = x, 0
    while n < 10:
        try:
            n = n + 3
            if n % 2 == 0:
                raise StopHere
        except StopHere:
            caught = caught + 1
    return n, caught


def out_of_loops(x: Any) -> Any:
    n = 0
    try:
        while n < 10:
            for i in range(3):
                n += i
                if n > x:
                    raise StopHere(n)
        n = n + 100
    except StopHere:
        n = n + 1000
    return n


def nested(x: Any) -> Any:
    r = 0
    try:
        try:
            if x < 0:
                raise ValueError("v")
            r = r + 1
        except ValueError:
            r = r + 10
            if x < -1:
                raise KeyError("k") from None
        finally:
            r = r + 5
        if x == 3:
            raise IndexError
        r = r + 100
    except (KeyError, IndexError):
        r = r + 1000
    return r


def asserts(x: Any) -> Any:
    try:
        assert x > 2, f"bad {x}"
        y = x
    except AssertionError:
        y = -x
    return y


def everything(x: Any) -> Any:
    try:
        if x < 0:
            raise ValueError
        if x > 3:
            raise SystemExit
    except Exception:  # noqa: BLE001
        return 5
    except:  # noqa: E722
        return 6
    return x


def by_class(x: Any) -> Any:
    kind = StopHere
    try:
        if x < 0:
            raise kind
    except StopHere:
        x = 0
    return x


def left_by_jumps(x: Any) -> Any:
    total = 0
    for i in range(10):
        try:
            if i > x:
                break
            if i == 1:
                continue
            if i == 5:
                raise ValueError
            total += i
        except ValueError:
            total += 100
            continue
        else:
            total += 1000
        total += 10000
    else:
        total = -total
    return total


def left_by_jumps_in_a_staged_loop(x: Any) -> Any:
    i, total = 0, 0
    while i < x:
        i += 1
        try:
            match i:
                case 2:
                    continue
                case 6:
                    break
            if i == 3:
                raise KeyError
            for j in range(4):
                if j > i:
                    break
                total += j
        except KeyError:
            total += 100
        finally:
            total += 1000
    return total


def until_it_works(x: Any) -> Any:
    tries = 0
    while True:
        try:
            tries += 1
            if x > 3:
                raise StopHere
            break
        except StopHere:
            x -= 2
    return x, tries


def passes_finally(x: Any) -> Any:
    n = 0
    for i in range(3):
        try:
            try:
                if x == i:
                    continue
                if x > 3:
                    n += 5
                    raise ValueError("large") from KeyError("k")
                assert x > -2, "small"
                n += 1
            finally:
                n += 10
        except (ValueError, AssertionError) as error:
            n += 100 * len(str(error))
    return n


def returns_through_finally(x: Any) -> Any:
    n = [0]
    try:
        try:
            if x > 5:
                raise StopHere
            if x > 3:
                return x
            n[0] += 1
        finally:
            n[0] += 10
    except StopHere:
        return n[0]
    return n[0] + 100


def in_a_branch(x: Any) -> Any:
    if x > 3:
        return simple(x - 5) + simple(x)
    return simple(x)


@pytest.mark.parametrize(
    "function",
    [
        simple, state_at_the_raise, returns, in_a_loop, in_a_staged_loop, out_of_loops, nested, asserts, everything,
        by_class, in_a_branch, left_by_jumps, left_by_jumps_in_a_staged_loop, until_it_works,
        returns_through_finally,
    ],
    ids=lambda function: function.__name__,
)  # fmt: skip
def test_a_staged_raise_is_caught(function: Callable[..., Any]) -> None:
    check(function, *range(-2, 8))


def test_exceptions_that_python_raises_are_handled() -> None:
    def f(x: Any) -> Any:
        y = 2
        try:
            if y > 100:
                raise ValueError
            x = x + {}["k"]
        except KeyError as error:
            x = x + len(error.args)
            handled = sys.exc_info()[1] is error
        return x, handled, sys.exc_info()[1] is None

    check(f, 1, 2)


def raises_at_run_time(function: Callable[..., Any], kind: type[Exception], text: str, *inputs: Any) -> None:
    """The traced function raises for the last input, and only there; plain Python does so too."""
    staged = tf.function(function)
    for x in inputs[:-1]:
        assert staged(tf.constant(x)) == function(x)
    for form, x in ((function, inputs[-1]), (staged, tf.constant(inputs[-1]))):
        with pytest.raises(kind, match=text):
            form(x)


def test_other_handlers_let_it_pass() -> None:
    def f(x: Any) -> Any:
        try:
            if x > 3:
                raise ValueError("too large")
        except KeyError:
            x = -x
        return x

    raises_at_run_time(f, ValueError, "too large", 1, 2, 4)


def test_raised_again() -> None:
    def f(x: Any) -> Any:
        try:
            if x > 3:
                raise ValueError("again")
        except ValueError:
            x = x + 1
            if x > 5:
                raise
        return x

    raises_at_run_time(f, ValueError, "again", 1, 4, 7)


def test_finally_runs_before_the_exception_leaves() -> None:
    counts = []
    for x in (2, 5):
        variable = tf.Variable(0)

        def f(x: Any, variable: Any = variable) -> Any:
            try:
                if x > 3:
                    raise ValueError("too large")
                x = x + 1
            finally:
                variable.assign_add(7)
            return x

        try:
            assert int(tf.function(f)(tf.constant(x))) == x + 1
        except ValueError as error:
            assert x == 5 and str(error).startswith("too large")  # noqa: PT017
        counts.append(int(variable))
    assert counts == [7, 7]


def one_of_two_again(x: Any) -> Any:
    try:
        if x > 3:
            raise ValueError("large")
        if x < 0:
            raise KeyError("small")
    except (ValueError, KeyError):
        x = x + 1
        raise
    return x


def turns_of_a_loop(x: Any) -> Any:
    text = "none"
    try:
        for k in (1, 2):
            if x == k:
                raise ValueError(f"turn {k}")
    except ValueError as error:
        text = str(error)
    return text


def turns_and_finally(x: Any) -> Any:
    try:
        for k in (1, 2):
            if x == k:
                raise ValueError(f"turn {k}")
    finally:
        x = x + 1
    return x


def text_and_finally(x: Any) -> Any:
    try:
        if x > 3:
            raise ValueError(f"bad {x}")
    finally:
        x = x + 1
    return x


@pytest.mark.parametrize("function", [one_of_two_again, turns_of_a_loop, turns_and_finally, text_and_finally])
def test_exceptions_that_only_the_run_knows_are_refused(function: Callable[..., Any]) -> None:
    with pytest.raises(StagingError, match="only the run knows"):
        tf.function(function)(tf.constant(1))


def gathers(x: Any, i: Any) -> Any:
    try:
        return tf.gather(x, i)
    except IndexError:
        return x[0]


def slices(x: Any, i: Any) -> Any:
    try:
        return tf.slice(x, [i], [1])
    except LookupError:
        return x


def reads(x: Any, i: Any) -> Any:
    array = tf.TensorArray(tf.int32, 2).unstack(x[:2])
    try:
        return array.read(i)
    except IndexError:
        return x[0]


def takes_next(x: Any, i: Any) -> Any:
    iterator = iter(tf.data.Dataset.from_tensor_slices(x[i:]))
    try:
        return next(iterator)
    except StopIteration:
        return x[0]


def inverts(x: Any, i: Any) -> Any:
    try:
        return tf.linalg.eigvals(tf.cast([[x[0], i], [i, i]], tf.float32))
    except ValueError:
        return x[0]


@pytest.mark.parametrize("function", [gathers, slices, reads, takes_next, inverts])
def test_a_handler_of_what_an_op_raises_is_refused(function: Callable[..., Any]) -> None:
    with pytest.raises(StagingError, match="when the graph runs, in a `try` that would catch it in Python"):
        tf.function(function)(tf.constant([1, 2, 3]), tf.constant(1))


def what_does_not_fail(x: Any, i: Any) -> Any:
    total = 0
    try:
        for item in tf.data.Dataset.from_tensor_slices(x):
            total += item
        total += tf.reduce_sum(tf.gather(x, [0, 2])) + tf.reduce_sum(tf.repeat(x, 2))
        total += tf.reduce_sum(tf.pad(x, [[1, 1]]))
    except Exception:
        total = -1
    return total


def test_a_handler_stands_aside_where_nothing_can_fail() -> None:
    assert tf.function(what_does_not_fail)(tf.constant([1, 2, 3]), tf.constant(1)).numpy() == 6 + 4 + 12 + 6


def test_messages_and_causes() -> None:
    @tf.function
    def f(x: Any) -> Any:
        if x > 3:
            raise ValueError(f"bad {x}") from KeyError("k")
        assert x > 0, f"not {x}"
        return x

    with pytest.raises(ValueError, match="bad 4") as caught:
        f(tf.constant(4))
    assert isinstance(caught.value.__cause__, KeyError)
    with pytest.raises(AssertionError, match="not -2"):
        f(tf.constant(-2))


class Swallow:
    def __enter__(self) -> None: ...

    def __exit__(self, *error: Any) -> bool:
        return True


class Timer:
    def __enter__(self) -> None: ...

    def __exit__(self, *error: Any) -> None:
        self.stopped = True


@contextlib.contextmanager
def simple_generator() -> Iterator[int]:
    yield 3


@contextlib.contextmanager
def swallowing_generator() -> Iterator[int]:
    with contextlib.nullcontext():
        try:
            yield 3
        except (ValueError, IndexError):
            pass


MANAGERS = {
    "Swallow": Swallow, "Timer": Timer, "simple_generator": simple_generator,
    "swallowing_generator": swallowing_generator, "suppress": lambda: contextlib.suppress(ValueError, IndexError),
    "ExitStack": contextlib.ExitStack,
}  # fmt: skip


@pytest.mark.parametrize("name", MANAGERS)
def test_a_staged_raise_in_a_with_is_refused(name: str) -> None:
    manager = MANAGERS[name]

    def f(x: Any) -> Any:
        with manager():
            if x > 0:
                raise ValueError
        return x

    with pytest.raises(StagingError, match=f"stands in a `with {name}`"):
        tf.function(f)(tf.constant(1))


@pytest.mark.parametrize("name", [name for name in MANAGERS if name not in ("Timer", "simple_generator")])
def test_a_node_that_may_raise_in_a_with_that_swallows_is_refused(name: str) -> None:
    manager = MANAGERS[name]

    def f(x: Any, i: Any) -> Any:
        y = 0
        with manager():
            y = x[i]
        return y

    with pytest.raises(StagingError, match="may raise IndexOutOfRangeError when the graph runs"):
        tf.function(f)(tf.constant([1, 2]), tf.constant(1))


@pytest.mark.parametrize("manager", [Timer, simple_generator, lambda: contextlib.suppress(KeyError)])
def test_nodes_that_may_raise_stand_in_other_contexts(manager: Callable[[], Any]) -> None:
    @tf.function
    def f(x: Any, i: Any) -> Any:
        with manager():
            y = x[i]
        return y

    assert f(tf.constant([1, 2]), tf.constant(1)) == 2
    with pytest.raises(OutOfRangeError):
        f(tf.constant([1, 2]), tf.constant(5))


@pytest.mark.parametrize(
    ("use", "value", "handled"),
    [
        (chr, 65, ValueError),
        (chr, 65, OverflowError),
        (lambda x: "%c" % x, 65, OverflowError),
        (lambda x: f"{x:c}", 65, OverflowError),
        (lambda x: "{:c}".format(x), 65, OverflowError),
        (lambda x: "{:{}}".format(x, "c"), 65, OverflowError),
        (ord, "a", TypeError),
        (int, "1", ValueError),
        (lambda x: x.index("a"), "a", ValueError),
        (lambda x: "a b".split(x), " ", ValueError),
        (lambda x: x[1], "ab", IndexError),
    ],
)
def test_functions_of_texts_that_may_raise_in_a_try(use: Any, value: Any, handled: type[Exception]) -> None:
    def guarded(x: Any, classes: Any) -> Any:
        try:
            return use(x)
        except classes:
            return use(value)

    with pytest.raises(StagingError, match="when the graph runs, in a `try` that would catch it"):
        tf.function(lambda x: guarded(x, handled))(tf.constant(value))
    assert tf.function(lambda x: guarded(x, KeyError))(tf.constant(value)) is not None


def test_formats_that_never_raise_in_a_try() -> None:
    def write(x: Any) -> Any:
        try:
            return f"{x:05d}" + " %d" % x + str(x)
        except (OverflowError, TypeError, ValueError):
            return "bad"

    assert tf.function(write)(tf.constant(3)).numpy() == b"00003 33"


def test_nodes_that_may_raise_in_a_try() -> None:
    def item(x: Any, i: Any) -> Any:
        try:
            return x[i]
        except IndexError:
            return 0

    def number(text: Any) -> Any:
        try:
            return int(text)
        except ValueError:
            return -1

    def called(x: Any) -> Any:
        try:
            return tf.py_function(lambda x: x, [x], tf.int32)
        except KeyError:
            return -1

    def constant(x: Any) -> Any:
        try:
            return x[1] * 2 + x[0]
        except Exception:  # noqa: BLE001
            return 0

    with pytest.raises(StagingError, match="may raise IndexOutOfRangeError"):
        tf.function(item)(tf.constant([1]), tf.constant(0))
    with pytest.raises(StagingError, match="may raise InvalidArgumentError"):
        tf.function(number)(tf.constant("12"))
    with pytest.raises(StagingError, match="may raise Exception"):
        tf.function(called)(tf.constant(1))
    assert tf.function(constant)(tf.constant([1, 2])) == 5


def test_no_handler_catches_a_refusal() -> None:
    def f(x: Any) -> Any:
        seen: set[int] = set()
        try:
            if x > 0:
                seen.add(1)
        except Exception:  # noqa: BLE001
            return 5
        return len(seen)

    with pytest.raises(MutationError):
        tf.function(f)(tf.constant(1))


def test_a_raise_of_a_called_function_is_refused() -> None:
    def called(x: Any) -> Any:
        if x > 0:
            raise ValueError
        return x

    def f(x: Any) -> Any:
        try:
            if x > 5:
                raise ValueError
            return called(x)
        except ValueError:
            return 9

    with pytest.raises(StagingError, match="stands in the `try` of line"):
        tf.function(f)(tf.constant(1))


def test_a_handler_of_groups_is_refused() -> None:
    def f(x: Any) -> Any:
        try:
            if x > 0:
                raise ExceptionGroup("several", [ValueError("one")])
        except* ValueError:
            x = x + 1
        return x

    with pytest.raises(StagingError, match="stands in the `try` of line"):
        tf.function(f)(tf.constant(1))


class TooLarge(Exception):
    def __init__(self, value: Any, limit: int = 5) -> None:
        super().__init__(f"{value} of {limit}" if value < 100 else "far too large")
        self.value = value


def test_exceptions_with_code_of_their_own() -> None:
    class Local(TooLarge):
        def __init__(self, value: Any) -> None:
            self.half = value // 2
            super().__init__(value, limit=7)

    @tf.function
    def f(x: Any) -> Any:
        if x > 10:
            raise TooLarge(x)
        if x > 5:
            raise Local(x)
        return x

    assert int(f(tf.constant(3))) == 3
    for value, text in ((12, "12 of 5"), (200, "far too large")):
        with pytest.raises(TooLarge, match=f"^{text}$") as caught:
            f(tf.constant(value))
        assert int(caught.value.value) == value
    with pytest.raises(Local, match="^8 of 7$") as caught_local:
        f(tf.constant(8))
    assert int(caught_local.value.half) == 4


class Steps:
    def __init__(self, x: Any) -> None:
        self.x = x

    def __iter__(self) -> Any:
        return self

    def __next__(self) -> int:
        if self.x > 0:
            raise StopIteration
        return 1


def test_a_staged_end_of_an_iteration_is_refused() -> None:
    with pytest.raises(StagingError, match="only the run knows how long the iteration is"):
        tf.function(lambda x: list(Steps(x)))(tf.constant(1))


def test_a_lock_in_a_branch_is_refused() -> None:
    lock = threading.Lock()

    def f(x: Any) -> Any:
        with lock:
            x = x + 1
        if x > 0:
            with lock:
                x = x + 1
        return x

    with pytest.raises(MutationError, match="takes the lock while tracing"):
        tf.function(f)(tf.constant(1))


class Closer:
    def __init__(self) -> None:
        self.closed = 0

    def close(self) -> None:
        self.closed += 1


def test_contexts_of_the_library() -> None:
    def f(x: Any) -> Any:
        closer = Closer()
        if x > 0:
            with contextlib.closing(closer), contextlib.nullcontext(x) as y:
                x = x + y
        else:
            with contextlib.ExitStack() as stack:
                stack.callback(closer.close)
                stack.enter_context(Timer())
                closer.close()
        return x, closer.closed

    check(f, 1, -1)


def test_generators_as_contexts_are_converted() -> None:
    @contextlib.contextmanager
    def scaled(x: Any) -> Iterator[Any]:
        factor = x if x > 1 else 1
        yield factor * 2

    def f(x: Any) -> Any:
        with scaled(x) as y:
            x = x + y
        return x

    check(f, 1, 5)
