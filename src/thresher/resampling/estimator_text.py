"""Estimators from text, as on a command line: an import path and literal arguments, nothing that is evaluated.

    sklearn.ensemble:RandomForestClassifier(n_estimators=200)
    sklearn.pipeline:make_pipeline(sklearn.preprocessing:StandardScaler(), sklearn.svm:SVC(C=0.5))

An argument is a number, a text in quotes, True, False, None, a list, tuple or dictionary of arguments, or another
estimator. No expression is evaluated, nothing is unpickled, and nothing is called but classes that have the interface
of an estimator, splitter or kernel, and scikit-learn's own functions that put estimators together.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from importlib import import_module
from typing import Any, NoReturn

from thresher._util.fast_dataclass import dataclass, field
from thresher.errors import OptionError

INTERFACES = ("fit", "get_params", "get_n_splits")
"""A callable class has one of these methods: an estimator, a kernel or a splitter."""

COMPOSERS = ("make_pipeline", "make_union", "make_column_transformer", "make_column_selector")
"""Functions that may be called, when they come from one of `COMPOSING` packages."""

COMPOSING = ("sklearn", "imblearn")

ALLOWED = (
    "An argument is a number, a text in quotes, True, False, None, a list, tuple or dictionary of these, "
    "or an estimator written as module:Name(…)"
)

WRITTEN = "an estimator is written module:Name(argument=value), such as sklearn.linear_model:LogisticRegression(C=0.5)"

_WORD = r"[^\W\d]\w*"
_TOKEN = re.compile(
    r"(?P<text>'(?:[^'\\\n]|\\.)*'|\"(?:[^\"\\\n]|\\.)*\")"
    rf"|(?<![\w.])(?P<target>{_WORD}(?:\.{_WORD})*:{_WORD}(?:\.{_WORD})*)|(?P<other>[@#])|\s"
)


@dataclass(frozen=True)
class EstimatorText:
    """Parsed text of an estimator: import path and arguments, nested estimators among them; nothing is imported yet.

    `build()` imports and calls. `str()` gives the text in its plain form.
    """

    module: str
    name: str
    args: tuple[Any, ...] = ()
    kwargs: dict[str, Any] = field(default_factory=dict)
    at: int = field(default=0, compare=False)
    text: str = field(default="", compare=False, repr=False)

    def build(self) -> Any:
        """Import the path and call it with the arguments, nested estimators first.

        Raises:
            OptionError: the path cannot be imported, is not an estimator, or refuses the arguments; says where.
        """
        call = self._callable()
        args = [_built(value) for value in self.args]
        kwargs = {name: _built(value) for name, value in self.kwargs.items()}
        try:
            return call(*args, **kwargs)
        except Exception as error:
            raise self._error(f"{self.module}:{self.name} refuses these arguments: {error}") from error

    def _callable(self) -> Callable[..., Any]:
        try:
            found: Any = import_module(self.module)
        except ImportError as error:
            missing = getattr(error, "name", None)
            there = "there is no module" if missing and self.module.startswith(missing) else "cannot import"
            raise self._error(
                f"{there} {missing or self.module!r} ({error}); is its package installed here?"
            ) from error
        except Exception as error:
            raise self._error(f"importing {self.module} failed: {type(error).__name__}: {error}") from error
        for part in self.name.split("."):
            if part.startswith("_") or not hasattr(found, part):
                raise self._error(f"{self.module} does not have a public name {part!r}{_near(part, found)}")
            found = getattr(found, part)
        if isinstance(found, type) and any(hasattr(found, method) for method in INTERFACES):
            return found
        home = str(getattr(found, "__module__", "")).split(".")[0]
        if home in COMPOSING and getattr(found, "__name__", "") in COMPOSERS:
            return found  # type: ignore[no-any-return]
        raise self._error(
            f"{self.module}:{self.name} is not the class of an estimator (it lacks fit), and no other function or "
            f"class is called"
        )

    def _error(self, problem: str) -> OptionError:
        return _error(self.text, self.at, problem)

    @property
    def short(self) -> str:
        """Name for a table: the class, or for a pipeline its last step.

        >>> parse_estimator("sklearn.pipeline:make_pipeline(a:Scaler(), b.c:Net(depth=2))").short
        'Net'
        """
        inner = [value for value in self.args if isinstance(value, EstimatorText)]
        return inner[-1].short if self.name in COMPOSERS and inner else self.name.rpartition(".")[2]

    def __str__(self) -> str:
        parts = [_written(value) for value in self.args]
        parts += [f"{name}={_written(value)}" for name, value in self.kwargs.items()]
        return f"{self.module}:{self.name}({', '.join(parts)})"


def parse_estimator(text: str) -> EstimatorText:
    """Read the text of an estimator; nothing is imported or called.

    Raises:
        OptionError: the text is not understood; names the character, and the valid text there.

    >>> parse_estimator("sklearn.svm:SVC(C=0.5, kernel='rbf')")
    EstimatorText(module='sklearn.svm', name='SVC', args=(), kwargs={'C': 0.5, 'kernel': 'rbf'}, at=0)
    >>> str(parse_estimator("sklearn.linear_model : LogisticRegression"))
    Traceback (most recent call last):
        ...
    thresher.errors.OptionError: estimator 'sklearn.linear_model : LogisticRegression', character 22: invalid syntax; \
an estimator is written module:Name(argument=value), such as sklearn.linear_model:LogisticRegression(C=0.5).
    """
    return _Reader(text).estimator()


def estimator_from_text(text: str) -> Any:
    """Estimator that a text describes, imported and made.

    Raises:
        OptionError: the text is not understood, or its estimator cannot be made; names the character.
    """
    return parse_estimator(text).build()


def _built(value: Any) -> Any:
    if isinstance(value, EstimatorText):
        return value.build()
    if isinstance(value, list | tuple):
        return type(value)(_built(item) for item in value)
    if isinstance(value, dict):
        return {key: _built(item) for key, item in value.items()}
    return value


def _written(value: Any) -> str:
    if isinstance(value, list):
        return f"[{', '.join(map(_written, value))}]"
    if isinstance(value, tuple):
        return f"({', '.join(map(_written, value))}{',' if len(value) == 1 else ''})"
    if isinstance(value, dict):
        return f"{{{', '.join(f'{key!r}: {_written(item)}' for key, item in value.items())}}}"
    return str(value) if isinstance(value, EstimatorText) else repr(value)


def _error(text: str, at: int, problem: str) -> OptionError:
    shown = repr(text if len(text) <= 120 else f"{text[:117]}…")
    end = "" if problem.endswith(("?", ".")) else "."
    return OptionError(f"estimator {shown}, character {at + 1}: {problem}{end}")


def _near(name: str, module: Any) -> str:
    import difflib

    near = difflib.get_close_matches(name, [n for n in dir(module) if not n.startswith("_")], n=2)
    return f"; did you mean {' or '.join(near)}?" if near else ""


class _Reader:
    """Reads Python's syntax tree of the text, with `module@Name` for `module:Name` (the same length)."""

    def __init__(self, text: str) -> None:
        self.text, self.skipped = text, len(text) - len(text.lstrip())

    def estimator(self) -> EstimatorText:
        """The estimator that the whole text describes."""
        source = _TOKEN.sub(self._in_python, self.text)[self.skipped :]
        try:
            found = self._named(ast.parse(source, mode="eval").body) if source else None
        except SyntaxError as error:
            raise _error(self.text, self.skipped + (error.offset or 1) - 1, f"{error.msg}; {WRITTEN}") from None
        except UnicodeError:  # half a character of UTF-16
            raise _error(self.text, self.skipped, f"half a character of UTF-16 is not text; {WRITTEN}") from None
        except (ValueError, MemoryError, RecursionError) as error:  # null characters, thousands of brackets
            raise _error(self.text, 0, str(error) or "too many nested brackets") from None
        if found is None:
            raise _error(self.text, self.skipped, WRITTEN)
        return found

    def _in_python(self, token: re.Match[str]) -> str:
        if token["other"]:
            raise _error(self.text, token.start(), f"{token['other']!r} is not allowed. {ALLOWED}")
        return token[0] if token["text"] else token["target"].replace(":", "@") if token["target"] else " "

    def _named(self, node: ast.expr) -> EstimatorText | None:
        if not (isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult)):
            return None
        call = node.right if isinstance(node.right, ast.Call) else ast.Call(node.right, [], [])
        module, name = _dotted(node.left), _dotted(call.func)
        if module is None or name is None:
            return None
        args = tuple(self._value(one) for one in call.args)
        kwargs: dict[str, Any] = {}
        for one in call.keywords:
            if one.arg is None or one.arg in kwargs:
                self._refuse(one, "" if one.arg is None else f"the argument {one.arg} is given twice")
            kwargs[one.arg] = self._value(one.value)
        return EstimatorText(module, name, args, kwargs, self._place(node.col_offset), self.text)

    def _value(self, node: ast.expr) -> Any:
        match node:
            case ast.List():
                return [self._value(one) for one in node.elts]
            case ast.Tuple():
                return tuple(self._value(one) for one in node.elts)
            case ast.Dict():
                return self._dictionary(node)
            case ast.Constant(value=int() | float() | str() | None as value):
                return value
            case ast.UnaryOp(op=sign, operand=ast.Constant(value=int() | float() as value)):
                if isinstance(sign, ast.USub | ast.UAdd) and not isinstance(value, bool):
                    return -value if isinstance(sign, ast.USub) else value
        return self._named(node) or self._refuse(node)

    def _dictionary(self, node: ast.Dict) -> dict[Any, Any]:
        found: dict[Any, Any] = {}
        for key, value in zip(node.keys, node.values, strict=True):
            if key is None:
                self._refuse(value)
            read = self._value(key)
            if not isinstance(read, str | int | float | bool | None):
                self._refuse(key, "the key of a dictionary is a text or a number")
            if read in found:
                self._refuse(key, f"the key {read!r} is given twice")
            found[read] = self._value(value)
        return found

    def _refuse(self, node: ast.expr | ast.keyword, problem: str = "") -> NoReturn:
        start, end = self._place(node.col_offset), self._place(node.end_col_offset or 0)
        shown = repr(self.text[start:end] if end - start <= 30 else f"{self.text[start : start + 29]}…")
        raise _error(self.text, start, problem or f"{shown} is not allowed. {ALLOWED}, and no expression is evaluated")

    def _place(self, column: int) -> int:
        """Convert a byte offset to a character offset."""
        return self.skipped + len(self.text[self.skipped :].encode()[:column].decode())


def _dotted(node: ast.expr) -> str | None:
    if isinstance(node, ast.Attribute):
        inner = _dotted(node.value)
        return None if inner is None else f"{inner}.{node.attr}"
    return node.id if isinstance(node, ast.Name) else None
