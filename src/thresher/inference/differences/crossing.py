"""The place where a function crosses 0, in about ten steps."""

from __future__ import annotations

from collections.abc import Callable


def crossing(of: Callable[[float], float], first: float, second: float, *, within: float) -> float:
    """Return a point `within` such a distance of where a function with different signs at both ends is 0.

    Each step is that of inverse quadratic interpolation where the last three points allow for it, else the middle.

    >>> round(crossing(lambda x: x * x - 2, 0.0, 2.0, within=1e-12), 9)
    1.414213562

    Chandrupatla 1997.
    """
    a, b, share = first, second, 0.5
    of_a, of_b = of(a), of(b)
    while abs(b - a) > within and of_a and of_b:
        x = a + share * (b - a)
        of_x = of(x)
        if (of_x > 0) == (of_a > 0):
            c, of_c = a, of_a
        else:
            c, of_c, b, of_b = b, of_b, a, of_a
        a, of_a = x, of_x
        place, height = (a - b) / (c - b), (of_a - of_b) / (of_c - of_b)
        share = 0.5
        if height**2 < place and (1 - height) ** 2 < 1 - place:
            share = of_a / (of_b - of_a) * of_c / (of_b - of_c)
            share += (c - a) / (b - a) * of_a / (of_c - of_a) * of_b / (of_c - of_b)
        if abs(b - a) > within:
            least = min(0.5, within / 2 / abs(b - a))  # past the crossing, so that both ends move to it
            share = min(1 - least, max(least, share))
    return a if abs(of_a) < abs(of_b) else b
