"""Colors of models on a page are told apart by people with any common color blindness, on white and on black."""

import re
from itertools import combinations

import numpy as np
import pytest

from thresher.conventions import DARK_COLORS, LIGHT_COLORS
from thresher.report.render.html.markup import palette

# Machado, Oliveira & Fernandes 2009, severity 1, on linear RGB; then linear RGB to CIE XYZ of D65 white.
SEEN = {
    "all cones": np.eye(3),
    "deuteranopia": np.array([[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413],
                              [-0.011820, 0.042940, 0.968881]]),
    "protanopia": np.array([[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216],
                            [-0.003882, -0.048116, 1.051998]]),
}  # fmt: skip
XYZ = np.array(
    [[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750], [0.0193339, 0.1191920, 0.9503041]]
)
WHITE = np.array([0.95047, 1.0, 1.08883])


def lab(color, seen):
    channel = np.array([int(color[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    linear = np.where(channel <= 0.04045, channel / 12.92, ((channel + 0.055) / 1.055) ** 2.4)
    x = XYZ @ np.clip(seen @ linear, 0, 1) / WHITE
    f = np.where(x > 0.008856, np.cbrt(x), 7.787 * x + 16 / 116)
    return 116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])


def difference(one, two):
    """CIEDE2000 (Sharma, Wu & Dalal 2005)."""
    (l1, a1, b1), (l2, a2, b2) = one, two
    mean = (np.hypot(a1, b1) + np.hypot(a2, b2)) / 2
    g = 1 + (1 - np.sqrt(mean**7 / (mean**7 + 25.0**7))) / 2
    c1, c2 = np.hypot(g * a1, b1), np.hypot(g * a2, b2)
    h1, h2 = np.degrees(np.arctan2(b1, g * a1)) % 360, np.degrees(np.arctan2(b2, g * a2)) % 360
    turn, c = (h2 - h1 + 180) % 360 - 180, (c1 + c2) / 2
    hue, h = 2 * np.sqrt(c1 * c2) * np.sin(np.radians(turn / 2)), h1 + turn / 2
    cosines = [np.cos(np.radians(angle)) for angle in (h - 30, 2 * h, 3 * h + 6, 4 * h - 63)]
    t = 1 - 0.17 * cosines[0] + 0.24 * cosines[1] + 0.32 * cosines[2] - 0.2 * cosines[3]
    light = ((l1 + l2) / 2 - 50) ** 2
    terms = (
        (l2 - l1) / (1 + 0.015 * light / np.sqrt(20 + light)),
        (c2 - c1) / (1 + 0.045 * c),
        hue / (1 + 0.015 * c * t),
    )
    blue = 60 * np.exp(-(((h % 360 - 275) / 25) ** 2))
    turned = -2 * np.sqrt(c**7 / (c**7 + 25.0**7)) * np.sin(np.radians(blue))
    return np.sqrt(sum(term**2 for term in terms) + turned * terms[1] * terms[2])


def test_difference_is_that_of_the_published_pairs():
    assert difference((50, 2.6772, -79.7751), (50, 0, -82.7485)) == pytest.approx(2.0425, abs=1e-4)
    assert difference((2.0776, 0.0795, -1.1350), (0.9033, -0.0636, -0.5514)) == pytest.approx(0.9082, abs=1e-4)


@pytest.mark.parametrize("seen", SEEN)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_colors_of_eight_models_differ(seen, scheme):
    colors = {"light": LIGHT_COLORS, "dark": DARK_COLORS}[scheme]
    assert len(set(colors)) == 8
    assert min(difference(lab(a, SEEN[seen]), lab(b, SEEN[seen])) for a, b in combinations(colors, 2)) >= 10


def test_a_page_and_a_plot_have_the_same_colors():
    assert re.findall(r"--c\d:(#[0-9a-f]{6})", palette()) == [*LIGHT_COLORS, *DARK_COLORS]
    pyplot = pytest.importorskip("matplotlib.pyplot")
    from thresher.plot.looks import color_of, line_look

    assert [color_of(place) for place in range(8)] == list(LIGHT_COLORS)
    with pyplot.style.context("dark_background"):
        assert [color_of(place) for place in range(8)] == list(DARK_COLORS)
    looks = [{name: str(value) for name, value in line_look(place).items()} for place in range(40)]
    assert all(a != b for a, b in combinations(looks, 2))
