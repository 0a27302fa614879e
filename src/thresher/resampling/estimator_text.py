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
from dataclasses import field
from importlib import import_module
from typing import Any

from thresher.dataclass import dataclass
from thresher.errors import OptionError

INTERFACES = ("fit", "get_params", "get_n_splits")
"""Methods of which a class must have one to be called: those of estimators, kernels and splitters."""

COMPOSERS = ("make_pipeline", "make_union", "make_column_transformer", "make_column_selector")
"""Functions that may be called, when they come from one of `COMPOSING` packages."""

COMPOSING = ("sklearn", "imblearn")

DEEPEST = 30
"""Estimators or brackets within each other; more is no estimator that anyone writes on one line."""

ALLOWED = (
    "An argument is a number, a text in quotes, True, False, None, a list, tuple or dictionary of these, "
    "or an estimator written as module:Name(…)"
)

_WORD = r"[^\W\d]\w*"
_TARGET = re.compile(rf"{_WORD}(?:\.{_WORD})*:{_WORD}(?:\.{_WORD})*")
_KEYWORD = re.compile(rf"({_WORD})\s*=(?!=)\s*")
_NUMBER = re.compile(r"[+-]?(?:\d[\d_]*\.?[\d_]*|\.\d[\d_]*)(?:[eE][+-]?\d+)?")
_TEXT = re.compile(r"'(?:[^'\\\n]|\\.)*'|\"(?:[^\"\\\n]|\\.)*\"")
_NAMED = re.compile(r"(?:True|False|None)\b")
_SPACE = re.compile(r"\s*")


@dataclass(frozen=True)
class EstimatorText:
    """What a text says: the import path and the arguments, nested estimators among them; nothing is imported yet.

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
            OptionError: the path cannot be imported, is no estimator, or refuses the arguments; says where.
        """
        call = self._callable()
        args = [_built(value) for value in self.args]
        kwargs = {name: _built(value) for name, value in self.kwargs.items()}
        try:
            return call(*args, **kwargs)
        except Exception as error:
            raise self._error(f"{self.module}:{self.name} refuses these arguments: {error}") from error

    def _callable(self) -> Callable[..., Any]:
        """Class or function that the path names, when it may be called."""
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
                raise self._error(f"{self.module} has no public name {part!r}{_near(part, found)}")
            found = getattr(found, part)
        if isinstance(found, type) and any(hasattr(found, method) for method in INTERFACES):
            return found
        home = str(getattr(found, "__module__", "")).split(".")[0]
        if home in COMPOSING and getattr(found, "__name__", "") in COMPOSERS:
            return found  # type: ignore[no-any-return]
        raise self._error(
            f"{self.module}:{self.name} is not the class of an estimator (it has no fit), and no other function or "
            f"class is called"
        )

    def _error(self, problem: str) -> OptionError:
        return OptionError(_sentence(self.text, self.at, problem))

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
        OptionError: the text is not understood; says at which character, and what is allowed there.

    >>> parse_estimator("sklearn.svm:SVC(C=0.5, kernel='rbf')")
    EstimatorText(module='sklearn.svm', name='SVC', args=(), kwargs={'C': 0.5, 'kernel': 'rbf'}, at=0)
    >>> str(parse_estimator("sklearn.linear_model : LogisticRegression"))
    Traceback (most recent call last):
        ...
    thresher.errors.OptionError: estimator 'sklearn.linear_model : LogisticRegression', character 1: an estimator \
is written module:Name(argument=value), such as sklearn.linear_model:LogisticRegression(C=0.5).
    """
    reader = _Reader(text)
    found = reader.estimator()
    reader.end()
    return found


def estimator_from_text(text: str) -> Any:
    """Estimator that a text describes, imported and made.

    Raises:
        OptionError: the text is not understood, or what it names cannot be made; says at which character.
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


def _sentence(text: str, at: int, problem: str) -> str:
    shown = repr(text if len(text) <= 120 else f"{text[:117]}…")
    return f"estimator {shown}, character {at + 1}: {problem}{'' if problem.endswith(('?', '.')) else '.'}"


def _near(name: str, module: Any) -> str:
    import difflib

    near = difflib.get_close_matches(name, [n for n in dir(module) if not n.startswith("_")], n=2)
    return f"; did you mean {' or '.join(near)}?" if near else ""


class _Reader:
    """Recursive descent over the text; `here` is the place of the next character."""

    def __init__(self, text: str) -> None:
        self.text, self.here, self.depth = text, 0, 0
        self._skip()

    def estimator(self) -> EstimatorText:
        """One estimator: module:Name, with arguments in parentheses or without."""
        at, path = self.here, self._take(_TARGET)
        if path is None:
            raise self.error(
                "an estimator is written module:Name(argument=value), such as "
                "sklearn.linear_model:LogisticRegression(C=0.5)"
            )
        module, _, name = path.partition(":")
        args, kwargs = self._arguments() if self._peek("(") else ((), {})
        return EstimatorText(module, name, args, kwargs, at, self.text)

    def end(self) -> None:
        """Check that nothing follows."""
        if self.here < len(self.text):
            raise self.error(f"nothing is expected after the estimator, and {self._rest()} follows")

    def _arguments(self) -> tuple[tuple[Any, ...], dict[str, Any]]:
        args: list[Any] = []
        kwargs: dict[str, Any] = {}

        def one() -> None:
            found = _KEYWORD.match(self.text, self.here)
            if found is None:
                if kwargs:
                    raise self.error("an argument without a name cannot follow one with a name")
                args.append(self._value())
                return
            if found[1] in kwargs:
                raise self.error(f"the argument {found[1]} is given twice")
            self.here = found.end()
            kwargs[found[1]] = self._value()

        self._items(")", one)
        return tuple(args), kwargs

    def _value(self) -> Any:
        """An argument: brackets of arguments, an estimator, or a literal."""
        character = self.text[self.here : self.here + 1]
        brackets = {"[": self._list, "(": self._tuple, "{": self._dictionary}
        if character in brackets:
            return brackets[character]()
        if _TARGET.match(self.text, self.here):
            return self.estimator()
        for kind in (_TEXT, _NAMED, _NUMBER):
            at, literal = self.here, self._take(kind)
            if literal is not None:
                return self._literal(literal, at)
        raise self.error(f"{self._rest()} is not allowed. {ALLOWED}, and no expression is evaluated")

    def _literal(self, literal: str, at: int) -> Any:
        try:
            value = ast.literal_eval(literal)
        except (ValueError, SyntaxError):
            self.here = at
            raise self.error(f"{literal} is not a number or text as Python writes it") from None
        if self.text[self.here : self.here + 1] in (",", ")", "]", "}", ":", ""):
            return value
        self.here = at
        raise self.error(f"{self._rest()} is not allowed. {ALLOWED}, and no expression is evaluated")

    def _list(self) -> list[Any]:
        found: list[Any] = []
        self._items("]", lambda: found.append(self._value()))
        return found

    def _tuple(self) -> Any:
        found: list[Any] = []
        trailing = self._items(")", lambda: found.append(self._value()))
        return found[0] if len(found) == 1 and not trailing else tuple(found)

    def _dictionary(self) -> dict[Any, Any]:
        found: dict[Any, Any] = {}

        def one() -> None:
            at, key = self.here, self._value()
            if not isinstance(key, str | int | float | bool | None):
                self.here = at
                raise self.error("the key of a dictionary is a text or a number")
            if not self._peek(":"):
                raise self.error(f"after the key of a dictionary comes ':', not {self._rest()}")
            if key in found:
                self.here = at
                raise self.error(f"the key {key!r} is given twice")
            self._step()
            found[key] = self._value()

        self._items("}", one)
        return found

    def _items(self, close: str, one: Callable[[], None]) -> bool:
        """Read items between brackets, separated by commas; return whether a comma stood before the end."""
        opened = self.here
        self.depth += 1
        if self.depth > DEEPEST:
            raise self.error(f"more than {DEEPEST} brackets stand within each other")
        self._step()
        trailing = False
        while not self._peek(close):
            if self.here >= len(self.text):
                raise self.error(f"{self.text[opened]!r} of character {opened + 1} is never closed by {close!r}")
            one()
            trailing = self._peek(",")
            if trailing:
                self._step()
            elif not self._peek(close) and self.here < len(self.text):
                raise self.error(f"',' or {close!r} is expected, not {self._rest()}")
        self._step()
        self.depth -= 1
        return trailing

    def _peek(self, character: str) -> bool:
        return self.text.startswith(character, self.here)

    def _step(self) -> None:
        self.here += 1
        self._skip()

    def _take(self, kind: re.Pattern[str]) -> str | None:
        """Text of this kind that stands here, the space after it skipped; None when none does."""
        found = kind.match(self.text, self.here)
        if found is None:
            return None
        self.here = found.end()
        self._skip()
        return found[0]

    def _skip(self) -> None:
        space = _SPACE.match(self.text, self.here)
        self.here = space.end() if space else self.here

    def _rest(self) -> str:
        rest = self.text[self.here :]
        return repr(rest if len(rest) <= 30 else f"{rest[:29]}…") if rest else "the end of the text"

    def error(self, problem: str) -> OptionError:
        return OptionError(_sentence(self.text, self.here, problem))
