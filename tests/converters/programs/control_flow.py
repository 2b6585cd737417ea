"""Branches, loops and exits, with the cases where a wrong lowering shows."""

total = 0


def break_in_else_of_try_in_for_else_in_while(t):
    n = 0
    while n < 3:
        n += 1
        for i in t("items", range(3)):
            try:
                t(f"try {n} {i}")
            except ValueError:
                t("never")
            else:
                if i == n:
                    break
                t("else of try")
            finally:
                t("finally")
        else:
            t("else of for")
            break
        t("after for")
    else:
        t("else of while")
    return n, i


class Manager:
    def __init__(self, t, swallow=()):
        self.t, self.swallow = t, swallow

    def __enter__(self):
        self.t("enter")
        return self

    def __exit__(self, kind, error, trace):
        self.t("exit", None)
        return kind is not None and issubclass(kind, self.swallow)


def return_in_with_in_loop(t):
    for i in range(5):
        with Manager(t):
            t(i)
            if i == 2:
                return t("value", i * 10)
            t("rest of with")
        t("rest of loop")
    return "never"


def swallowed_exception_goes_on(t):
    def part(i):
        with Manager(t, (ValueError,)):
            if i == 1:
                raise ValueError
            if i == 2:
                return "two"
            t("rest of with")
        t("after with")
        return "end"

    return [part(i) for i in range(4)]


def return_whose_value_raises_in_flags(t):
    def part(i):
        if i:
            try:
                if i > 1:
                    return 1 // (i - 2)
                t("rest of try")
            except ZeroDivisionError:
                t("caught")
            t("rest of if")
        return "end"

    return [part(i) for i in range(4)]


def else_of_try_after_return(t):
    def part(i):
        for _ in range(2):
            if i:
                try:
                    if i == 1:
                        return "try"
                    if i == 2:
                        continue
                    if i == 3:
                        break
                except KeyError:
                    pass
                else:
                    t("else of try")
                t("after try")
            t("rest")
        else:
            return "else"
        return "after"

    return [part(i) for i in range(5)]


def finally_swallows(t):
    def part(i):
        for _ in range(2):
            try:
                if i == 0:
                    raise KeyError
                if i == 1:
                    return "lost"
            finally:
                t("finally")
                if i < 2:
                    break
        while True:
            try:
                1 // i
            finally:
                return "swallowed"  # noqa: B012

    return [part(i) for i in range(3)]


def loop_variable_after_the_loop(t):
    for i in range(3):
        pass
    for j, (k, *rest) in enumerate([(1, 2, 3), (4,)]):
        if j:
            break
    return i, j, k, rest


def loop_variable_of_an_empty_loop(t):
    for i in []:
        pass
    return i


def changed_in_the_loop(t):
    for i in range(3):
        t(i)
        i = i * 10
        t(i)
    return i


def targets(t):
    class Box:
        pass

    box, table, items = Box(), {}, [0, 0]
    for box.x in range(3):
        t(box.x)
    for table["k"], items[1] in [(1, 2), (3, 4)]:
        t("turn")
    return box.x, table, items


def shadowed_names(t):
    if_body = 1
    loop_body, else_body, do_return, retval_, break_ = 2, 3, 4, 5, 6
    for iterate in range(5):
        if iterate == 2:
            if if_body:
                if t("condition", else_body > 3):
                    break
                loop_body += 1
            return if_body, loop_body, else_body, do_return, retval_, break_, iterate
    return None


def closures_bind_late_in_loops(t):
    functions = []
    i = 0
    while i < 3:
        j = i * 10
        if i != 1:
            functions.append(lambda k=i: (i, j, k))
        i += 1
    return [f() for f in functions]


def nested_functions_write_outer_variables(t):
    count, seen = 0, []

    def note(x):
        nonlocal count
        if x % 2:
            count += 1
            seen.append(x)
            return count
        for _ in range(x):
            count += 10
        return None

    for i in range(5):
        if note(i):
            count += 100
    return count, seen


def recursion(t):
    def count(n):
        if n == 0:
            return 0
        for i in range(n):
            if i == n - 1:
                return count(i) + 1
        return None

    return count(10)


def deletes_in_loops(t):
    out = []
    for i in range(4):
        if i % 2:
            x = i
        try:
            out.append(x)
            del x
        except UnboundLocalError as error:
            out.append(type(error).__name__)
    return out


def deleted_in_a_branch(t):
    x = y = 1
    if t("c", True):
        del x, y
    return x


def augmented_when_unset(t):
    if t("c", False):
        x = 1
    x += t("never", 1)
    return x


def deleted_when_unset(t):
    if t("c", False):
        x = 1
    del x


def global_and_nonlocal_in_branches(t):
    def inner():
        if t("c", True):
            global total
            total = 5
            for total in range(3):
                if total == 1:
                    break
        return total

    return inner(), total


def names_of_except_clauses(t):
    for i in range(3):
        try:
            if i == 1:
                raise ValueError(i)
        except ValueError as error:
            if str(error) == "1":
                kept = error
                continue
            t("never")
        t(i)
    return repr(kept), error  # noqa: F821


def reraised(t):
    try:
        for i in range(3):
            try:
                [][i]
            except IndexError:
                if i == 0:
                    raise
    except IndexError as error:
        return str(error)
    return None


def definitions_and_imports_in_branches(t):
    if t("c", True):
        import os.path as path
        from math import gcd as divisor

        def half(x):
            if x % 2:
                return None
            return x // 2

        class Box:
            size = 2
            if size > 1:
                big = True
            else:
                big = False

            def value(self):
                while True:
                    if self.big:
                        return self.size
    with Manager(t) as manager:
        pass
    return path.basename("a/b"), divisor(4, 6), half(4), Box().value(), Box.big, manager.t is t


def driven(coroutine):
    """What a coroutine returns that waits for nothing."""
    try:
        coroutine.send(None)
    except StopIteration as stopped:
        return stopped.value
    raise RuntimeError("it waits")


def returns_in_loops_of_suspended_functions(t):
    async def nothing():
        pass

    async def found(items):
        await nothing()
        for x in items:
            if x > 1:
                return x
        return t("none")

    async def ended(items):
        for x in items:
            if x > 1:
                return
        yield t("late")

    async def all_of(items):
        return [x async for x in items]

    def generated(items):
        for x in items:
            for y in range(x):
                if y == 2:
                    return "two"
        yield t("late")

    def returned(generator):
        try:
            next(generator)
        except StopIteration as stopped:
            return stopped.value
        return None

    found_ones = [driven(found(items)) for items in ([1, 2, 3], [1])]
    late = [driven(all_of(ended(items))) for items in ([2], [])]
    return found_ones, late, [returned(generated([each])) for each in (1, 3)]


def returns_without_values(t):
    def loops(items):
        for x in items:
            with Manager(t):
                for y in range(x):
                    if y == 1:
                        return
                t(x)

    def mixed(items):
        for x in items:
            if x > 2:
                return
            if x > 1:
                return x
        t("end")

    def nested(items):
        for x in items:
            for y in range(x):
                if y == 2:
                    return
            if x == 2:
                return x
        return t("none")

    ends = [nested(items) for items in ([], [3], [1, 2])]
    return loops([1, 2, 3]), [mixed(items) for items in ([], [1, 2], [3])], ends


def dead_code_after_continue_makes_names_local(t):
    total = []
    for i in range(3):
        try:
            if i == 1:
                continue
                missing = 1
            total.append(missing)
        except UnboundLocalError as error:
            total.append(type(error).__name__)
            continue
            total = None
    return total


def annotated(t):
    if t("c", True):
        x: int = 1
        y: "no such name"  # noqa: F722, F842
    for i in range(2):
        z: list[int] = [i]
    return x, z


def only_annotated(t):
    x: int
    if t("c", False):
        x = 1
    return x


def many_kinds_of_exit(t):
    def part(i):
        for j in range(3):
            if i:
                with Manager(t):
                    for k in range(3):
                        if i == 1 and k == 1:
                            return "return", j, k
                        if i == 2 and k == 1:
                            break
                    else:
                        if i == 3:
                            continue
                        if i == 4 and j == 1:
                            break
                        t("else")
                    if i == 5:
                        return "after", j, k
                t("rest of if")
            t("rest of loop")
        else:
            return "else of loop"
        return "end"

    return [part(i) for i in range(7)]


def nested_flags(t):
    out = []
    for a in range(3):
        if a:
            for b in range(3):
                if b:
                    if a == b:
                        break
                    out.append((a, b))
                out.append(b)
            if a == 2:
                break
            out.append("a")
        out.append(a)
    return out


def while_true(t):
    n = 0
    while True:
        n += 1
        if n == 5:
            return n
        if n % 2:
            continue
        t(n)


def test_with_walrus(t):
    values = iter([1, 2, 0, 3])
    out = []
    while (x := next(values)) and (y := x + 1):
        out.append((x, y))
    return out, x, y


def dead_code(t):
    if t("c", True):
        return 1
    else:
        return 2
    x = 3
    return x


def dead_code_makes_names_local(t):
    for _ in range(2):
        try:
            return total  # noqa: F823
        except UnboundLocalError as error:
            t(type(error).__name__)
            break
            total = 1  # noqa: F841
    return "end"


def in_a_generator(t):
    def generate(n):
        for i in range(n):
            if i == 1:
                continue
            if i == 4:
                return "done"
            for j in range(3):
                if j == i:
                    return (yield "inner")
            yield i
        else:
            yield "else"

    def value(n):
        result = yield from generate(n)
        yield result

    return list(value(2)), list(value(6))


def reads_its_frame(t):
    x = 1
    if t("c", True):
        y = 2
    for i in range(2):
        z = sorted(name for name in locals() if name != "t")
    return z, eval("x + y + i")


def evaluation_order(t):
    if t("a", 0) or t("b", 1):
        x = t("x", 1)
    elif t("c", 1):
        x = t("y", 2)
    while t("test", x < 3):
        x += t("step", 1)
    for t("outer", [None])[0] in t("iterable", [1]):
        t("body")
    return x


def lambdas_that_bind(t):
    f = lambda x: (x and (n := x + 1), [y for y in range(x) if y % 2 and (last := y)], n, last)  # noqa: E731
    return f(4)


n = "global"
binds = lambda t: (t("a", 1) and (n := t("b", 2)), [y for y in range(n) if y or (last := y)], n, last)  # noqa: E731
