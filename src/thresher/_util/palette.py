"""Colors of models, the same on a page and in a plot."""

from __future__ import annotations

LIGHT = ("#0b5cad", "#b55415", "#215749", "#5d3b63", "#7b0522", "#726242", "#1f7789", "#10139e")
DARK = ("#6fb1f5", "#e68b26", "#27b975", "#c983c0", "#ffbab6", "#e1d024", "#71e2fa", "#acafb4")
"""On a light and on a dark background; any two differ by a CIEDE2000 of at least 10 for normal vision, deuteranopia and
protanopia."""
