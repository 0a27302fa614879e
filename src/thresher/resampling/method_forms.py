"""Table of resampling methods, the source of texts, lists, help and saved forms; light to import."""

from __future__ import annotations

import difflib
import inspect
import re
from collections.abc import Callable, Iterator
from fractions import Fraction
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal, Protocol, get_args

from thresher._util.fast_dataclass import dataclass
from thresher._util.parse_number import parse_whole
from thresher.errors import OptionError
from thresher.registration import Registration, later, put

if TYPE_CHECKING:
    from thresher.resampling.splits import Split, SplitRows

Combine = Literal["mean", "pooled", "oob", "632", "632+", "optimism", "resubstitution"]
COMBINED = get_args(Combine)
"""How the values of the splits become one estimate (`thresher.resampling.model`)."""


class Method(Protocol):
    """Protocol of methods of resampling."""

    @property
    def combine(self) -> Combine:
        """Combination of the values of the splits."""

    @property
    def summary(self) -> str:
        """Method in words."""

    def count(self, rows: SplitRows) -> int:
        """Number of splits."""

    def splits(self, rows: SplitRows, rng: int) -> Iterator[Split]:
        """Yield splits lazily."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MethodForm:
    """Text form of a method: parser of the text after the colon, examples, and other names.

    `kind` is the class of its values, or its place; one that `holds_methods` cannot be held by another.
    """

    kind: type | str
    read: Callable[[str], Any]
    examples: str
    aliases: tuple[str, ...] = ()
    holds_methods: bool = False

    @property
    def example(self) -> str:
        """Example of its text."""
        return self.examples.split(maxsplit=1)[0]

    @property
    def loaded(self) -> type:
        """Class of its values."""
        if isinstance(self.kind, str):
            module, _, name = self.kind.partition(":")
            return getattr(import_module(module), name)  # type: ignore[no-any-return]
        return self.kind


def _repeated(given: str) -> Any:
    repeats, _, k = (given or "5x10").lower().replace("×", "x").partition("x")
    return later(_place("methods:KFold"))(parse_whole(k), repeats=parse_whole(repeats))


def _holdout(given: str) -> Any:
    if not re.fullmatch(r"[0-9./eE+ -]*", given):  # Fraction takes 1_0, and digits of any script
        raise ValueError(given)
    share = Fraction(given or "1/3")
    return later(_place("methods:Holdout"))(test=int(share) if share >= 1 and share.denominator == 1 else float(share))


def _nested(given: str) -> Any:
    folds, _, measure = (given or "5x5").partition(":")
    outer, _, inner = folds.lower().replace("×", "x").partition("x")
    k_fold, chosen_by = later(_place("methods:KFold")), {"measure": measure.strip()} if measure else {}
    return later(_place("nested:Nested"))(k_fold(parse_whole(outer)), k_fold(parse_whole(inner)), **chosen_by)


def _reader(kind: Callable[..., Any], default: int | None) -> Callable[[str], Any]:
    """Return the parser of a method that takes one number, or none if there is no default."""

    def read(given: str) -> Any:
        if default is None and given:
            raise ValueError(given)
        return kind() if default is None else kind(parse_whole(given) if given else default)

    return read


def _place(place: str) -> str:
    return f"thresher.resampling.{place}"


def _row(place: str, read: Callable[[str], Any] | int | None, examples: str, *aliases: str) -> MethodForm:
    kind = later(_place(place))
    made, holds = read if callable(read) else _reader(kind, read), place.startswith("nested:")
    return MethodForm(kind=_place(place), read=made, examples=examples, aliases=aliases, holds_methods=holds)


METHODS: dict[str, MethodForm] = {
    "kfold": _row("methods:KFold", 10, "kfold:10", "cv", "crossvalidation"),
    "repeated": _row("methods:KFold", _repeated, "repeated:5x10", "repeatedkfold"),
    "loo": _row("methods:LeaveOneOut", None, "loo alone", "leaveoneout"),
    "holdout": _row("methods:Holdout", _holdout, "holdout:1/3 or holdout:0.25"),
    "subsampling": _row("methods:RandomSubsampling", 10, "subsampling:20", "randomsubsampling", "montecarlo"),
    "groups": _row("methods:GroupKFold", 10, "groups:5", "groupkfold"),
    "time": _row("methods:TimeSplits", 5, "time:5", "timesplits"),
    "nested": _row("nested:Nested", _nested, "nested:5x3 or nested:5x3:auc"),
    "oob": _row("methods:BootstrapOOB", 200, "oob:200", "bootstrap", "bootstrapoob"),
    "632": _row("methods:Bootstrap632", 200, "632:200", "bootstrap632"),
    "632plus": _row("methods:Bootstrap632Plus", 200, "632plus:200", "bootstrap632plus"),
    "optimism": _row("methods:OptimismBootstrap", 200, "optimism:200", "optimismbootstrap"),
    "resubstitution": _row("methods:Resubstitution", None, "resubstitution alone"),
}
"""Methods by the name that texts begin with."""


def register_method(kind: type, name: str, *aliases: str, default: int | None = None) -> Registration[MethodForm]:
    """Add a method of resampling of your own, until `undo()` or the end of a `with` block.

    `assess(method="NAME")` and `thresher assess --method NAME` then take it, `thresher assess --help` lists it, and
    saved assessments hold it.

    Args:
        kind: frozen dataclass with `splits(rows, rng)`, `count(rows)`, `summary` in words and `combine`, which is one
            of "mean", "pooled", "oob", "632", "632+", "optimism" and "resubstitution".
        name: name in small letters and digits, such as "blocks"; `aliases` are others.
        default: its number where the text gives none, as in "blocks:5"; None when it takes none.

    Raises:
        OptionError: a name is taken or none, or the class lacks something that a method has.

    >>> from thresher._util.fast_dataclass import dataclass
    >>> from thresher.resampling import KFold, method_of
    >>> @dataclass(frozen=True)
    ... class Blocks(KFold):
    ...     "Folds of neighboring rows."
    >>> with register_method(Blocks, "blocks", default=4):
    ...     method_of("blocks"), method_of("blocks:7").k
    (Blocks(k=4, stratified=True, repeats=1), 7)
    """
    own = {*dir(kind), *inspect.get_annotations(kind), *getattr(kind, "__dataclass_fields__", ())}
    lacking = [part for part in ("splits", "count", "summary", "combine") if part not in own]
    if lacking:
        raise OptionError(f"{kind.__name__} is not a method of resampling: it lacks {' and '.join(lacking)}.")
    taken = {other for known, row in METHODS.items() for other in (known, *row.aliases)}
    for each in (name, *aliases):
        if each in taken or _key(each) != each:
            text = "is registered already" if each in taken else "is not written in small letters and digits alone"
            raise OptionError(f"the method {each!r} {text}: take another name.")
    if any(row.loaded.__name__ == kind.__name__ for row in METHODS.values()):
        raise OptionError(f"there is a method of class {kind.__name__} already: give yours another name.")
    examples = f"{name} alone" if default is None else f"{name}:{default}"
    form = MethodForm(kind=kind, read=_reader(kind, default), examples=examples, aliases=aliases)
    return put(METHODS, name, form)


def _key(name: str) -> str:
    return re.sub(r"[\s_.-]", "", name.lower()).replace("+", "plus")


def method_of(text: str) -> Method:
    """Method from its text, NAME or NAME:NUMBER.

    `kfold[:10]`, `repeated[:5x10]` (5 repeats of 10 folds), `5x2`, `loo`, `holdout[:1/3]`, `subsampling[:10]`,
    `groups[:10]`, `time[:5]`, `nested[:5x3]` (5 outer folds, 3 inner ones; `nested:5x3:auc` chooses by the AUC),
    `oob[:200]`, `632[:200]`, `632plus[:200]`, `optimism[:200]`, `resubstitution`, and those that were registered
    (`register_method`). Case, blanks, hyphens and underscores do not matter.

    Raises:
        OptionError: there is no such method, or the number does not serve it.

    >>> method_of("kfold:5"), method_of("repeated:5x10")
    (KFold(k=5, stratified=True, repeats=1), KFold(k=10, stratified=True, repeats=5))
    >>> method_of("632+:100")
    Bootstrap632Plus(b=100, apparent='fit', average='row')
    """
    return _read(text, holding=True)  # type: ignore[no-any-return]


def _read(text: str, *, holding: bool) -> Any:
    forms = {name: row for name, row in METHODS.items() if holding or not row.holds_methods}
    aliases = {alias: name for name, row in forms.items() for alias in row.aliases}
    name, _, given = text.partition(":")
    key = _key(name)
    if re.fullmatch(r"\d+x\d+", key):
        key, given = "repeated", key
    known = aliases.get(key, key)
    if known not in forms:
        near = difflib.get_close_matches(key, [*forms, *aliases], n=3)
        hint = f" Did you mean {' or '.join(near)}?" if near else ""
        raise OptionError(f"method {text!r} is not one of {', '.join(forms)}.{hint}")
    try:
        return as_method(forms[known].read(given.strip()))
    except OptionError:
        raise
    except (ValueError, ZeroDivisionError):
        examples = forms[known].examples
        raise OptionError(f"method {text!r}: {given!r} is not what {known} takes, such as {examples}.") from None


def as_method(method: Any, *, holding: bool = True) -> Any:
    """Method from a value of this package, its text, a splitter of scikit-learn or another library, or its splits."""
    if isinstance(method, str):
        return _read(method, holding=holding)
    if isinstance(method, type):
        raise OptionError(f"method={method.__name__}: pass a value of it, such as {method.__name__}().")
    if isinstance(method, int) and not isinstance(method, bool):
        method = later(_place("methods:KFold"))(method)
    elif isinstance(method, Iterator):  # as from a splitter's split(X, y)
        method = list(method)
    if not (hasattr(method, "splits") and hasattr(method, "combine")):
        if not (hasattr(method, "split") or isinstance(method, list | tuple)):
            raise OptionError(
                f"method={method!r}: pass a method such as KFold(10) or Bootstrap632Plus(200), its text, or a splitter "
                f"of scikit-learn."
            )
        method = later(_place("foreign:Splitter"))(method)
    if method.combine not in COMBINED:
        raise OptionError(
            f"{type(method).__name__} has combine={method.combine!r}, which is not one of {', '.join(COMBINED)}."
        )
    return method
