"""What is known about one model that gives a posterior for every class."""

from __future__ import annotations

LARGEST = "the class of the largest posterior is decided for (of tied ones the first), so no threshold applies"
"""Why a model with posteriors has no threshold."""
