"""The functions that are measured."""

from __future__ import annotations


def fib(n):
    """Calls itself: the cost of converted calls."""
    if n < 2:
        return n
    return fib(n - 1) + fib(n - 2)


def loops_and_branches(n):
    """Thirty lines of nested loops and branches: the cost of control flow."""
    total = 0
    odd = 0
    i = 0
    while i < n:
        i += 1
        if i % 3 == 0:
            total += i
        elif i % 5 == 0:
            total -= 1
        else:
            total += 2
        for j in range(8):
            if j > i:
                break
            if j % 2 == 1:
                odd += 1
                continue
            if total > 1000:
                total = total // 2
            else:
                total = total + j
        k = i
        while k > 0:
            if k & 1:
                odd += 1
            k >>= 2
        if odd > 500 and total < 900:
            odd -= 400
    return total, odd


def nested(items, limit):
    """Thirty lines of nested statements: the cost of conversion."""
    best = None
    count = 0
    for row in items:
        total = 0
        for x in row:
            if x is None:
                continue
            if x < 0:
                if total > limit:
                    break
                total -= x
            elif x == 0:
                count += 1
            else:
                while x > 10:
                    x = x // 2
                    if x % 2 == 0 and x > 2:
                        count += 1
                total += x
        if total > limit or count > limit:
            return total, count
        if best is None or total > best:
            best = total
        for k in range(count):
            if k * k > total:
                best = best + k
                break
        count = count + 1 if total else 0
    return best, count


def consecutive(count: int) -> str:
    """Source text of a function of `count` conditional statements in a row."""
    return "def f(x):\n" + "".join(f"    if x > {i}:\n        x = x - {i}\n" for i in range(count)) + "    return x\n"


def deep(count: int) -> str:
    """Source text of a function of `count` conditional statements, each inside the one before."""
    lines = [f"{'    ' * (i + 1)}if x > {i}:\n{'    ' * (i + 2)}x = x - 1\n" for i in range(count)]
    return "def f(x):\n" + "".join(lines) + "    return x\n"
