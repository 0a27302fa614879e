"""Public names of a package that are loaded at first use, so that one function does not cost the import of all.

The stub `__init__.pyi` beside a lazy package is the one list of its public names: type checkers and editors read it,
and so does the package itself.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from importlib import import_module
from types import FunctionType, ModuleType
from typing import Any

IMPORT = re.compile(r"^from (\S+) import (\([^)]*\)|.*)", re.MULTILINE)
NAME = re.compile(r"\w+ as (\w+)")


def lazy_names(
    package: str, *, is_guarded: bool = True
) -> tuple[list[str], Callable[[str], Any], Callable[[], list[str]]]:
    """Return `__all__`, `__getattr__` and `__dir__` of a package that loads the names of its stub at first use.

    A public name may equal the name of its module: the package then has the public name, in any order of imports.
    Guarded names explain wrong calls; names that promise another library's errors are not guarded.
    """
    modules = stub_modules(package)
    public = sorted(name for name, module in modules.items() if module != package)

    def load(name: str) -> Any:
        if name not in modules:
            raise PackageAttributeError(package, name)
        if modules[name] == package:
            return import_module(f"{package}.{name}")
        module = import_module(modules[name])
        value = getattr(module, name)
        if is_guarded:
            from thresher._util.front_door import guarded

            value = guarded(value)
            if isinstance(value, FunctionType):  # pickle looks it up here; calls within the package need no guard
                value.__module__ = package
        setattr(sys.modules[package], name, value)
        return value

    sys.modules[package].__class__ = _package(frozenset(public))
    return public, load, lambda: sorted({*public, *modules})


def stub_modules(package: str) -> dict[str, str]:
    """Return the module of each name that the stub of a package imports; a package within this one has this one.

    Each import is written `name as name`, by which a stub makes a name public.
    """
    module = sys.modules[package]
    stub = str(module.__file__).removesuffix("py") + "pyi"
    text = module.__loader__.get_data(stub).decode("utf-8")  # type: ignore[union-attr]
    return {name: source for source, names in IMPORT.findall(text) for name in NAME.findall(names)}


class PackageAttributeError(AttributeError):
    """A name that a package lacks; the call that serves is looked up when it is shown, as imports ask for many."""

    def __str__(self) -> str:
        package, name = self.args
        return f"module {package!r} has no attribute {name!r}{_place(package, name)}"


def _place(package: str, name: str) -> str:
    from thresher._util.did_you_mean import place_of

    return place_of(package, name, [home for home, module in stub_modules("thresher").items() if module == "thresher"])


def _package(names: frozenset[str]) -> type[ModuleType]:
    """Return a module class that keeps public names when a submodule is imported, and refuses calls."""

    class Package(ModuleType):
        def __setattr__(self, name: str, value: Any) -> None:
            if not (name in names and isinstance(value, ModuleType)):
                super().__setattr__(name, value)

        def __call__(self, *_args: Any, **_named: Any) -> Any:
            from thresher.errors import ArgumentError, ended

            name = self.__name__.rpartition(".")[2]
            raise ArgumentError(ended(f"{self.__name__} is a package, not a function{_place('thresher', name)}"))

    return Package
