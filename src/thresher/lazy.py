"""Public names of a package that are loaded at first use, so that one function does not cost the import of all."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from types import ModuleType
from typing import Any

from thresher.calls import guarded


def lazy_names(
    package: str, places: Mapping[str, tuple[str, ...]], *, is_guarded: bool = True
) -> tuple[list[str], Callable[[str], Any], Callable[[], list[str]]]:
    """`__all__`, `__getattr__` and `__dir__` of a package whose modules hold the names given.

    A public name may be that of its module: in the package it then is the public name, whatever was imported first.
    What is guarded says of a wrong call which argument is wrong; what promises another library's errors is not.
    """
    modules = {name: module for module, names in places.items() for name in names}

    def load(name: str) -> Any:
        if name not in modules:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        module = import_module(f"{package}.{modules[name]}")
        value = getattr(module, name)
        if is_guarded:
            value = guarded(value)
            # In its module too, as pickle looks a function up where it was written.
            setattr(module, name, value)
        setattr(sys.modules[package], name, value)
        return value

    if not modules.keys().isdisjoint(places):
        sys.modules[package].__class__ = _namesakes(frozenset(modules))
    return sorted(modules), load, lambda: sorted(modules)


def _namesakes(names: frozenset[str]) -> type[ModuleType]:
    """Class of a package in which the import of a module does not hide the public name that the module is called by."""

    class Package(ModuleType):
        def __setattr__(self, name: str, value: Any) -> None:
            if not (name in names and isinstance(value, ModuleType)):
                super().__setattr__(name, value)

    return Package
