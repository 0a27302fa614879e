"""The public names of thresher: those of the packages that the site's reference lists, and what their classes have."""

import inspect
import re
from importlib import import_module
from pathlib import Path

import thresher

ROOT = Path(__file__).parents[1]


def listed_packages() -> tuple[str, ...]:
    """Packages of which the site has a page for each name."""
    text = (ROOT / "docs" / "conf.py").read_text(encoding="utf-8")
    return tuple(re.findall(r'"(thresher[.\w]*)"', text.split("PACKAGES = (")[1].split(")")[0]))


def public_names(*, without: str = "") -> dict[str, object]:
    """Each public name by its page's title, without those of one package; the whole package's own have one page."""
    found = {}
    for package in listed_packages():
        if package == without:
            continue
        module = import_module(package)
        for name in module.__all__:
            value = getattr(module, name)
            top = getattr(thresher, name, None) if package != "thresher" and name in thresher.__all__ else None
            is_elsewhere = top is not None and top.__doc__ == value.__doc__
            if not (is_elsewhere or name.startswith("__")):
                found[f"{package}.{name}"] = value
    return found


def members(cls: type) -> set[str]:
    """Public methods, properties and fields of a class, those of our own bases included."""
    ours = [each for each in cls.__mro__ if each.__module__.startswith("thresher")]
    return {n for each in ours for n in {*vars(each), *vars(each).get("__annotations__", ())} if not n.startswith("_")}


def is_ours(value: object) -> bool:
    return inspect.isclass(value) and value.__module__.startswith("thresher")
