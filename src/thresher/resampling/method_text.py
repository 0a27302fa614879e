"""A method of resampling as written on one line (`kfold:10`, `repeated:5x10`, `632plus:200`), and splitters."""

from __future__ import annotations

from typing import Any

from thresher.resampling.method_forms import SIMPLE, Form, given_method, method_in
from thresher.resampling.methods import KFold, Method
from thresher.resampling.nested import Nested
from thresher.written import whole


def method_of(text: str) -> Method:
    """Method from its text, NAME or NAME:NUMBER.

    `kfold[:10]`, `repeated[:5x10]` (5 repeats of 10 folds), `5x2`, `loo`, `holdout[:1/3]`, `subsampling[:10]`,
    `groups[:10]`, `time[:5]`, `nested[:5x3]` (5 outer folds, 3 inner ones; `nested:5x3:auc` chooses by the AUC),
    `oob[:200]`, `632[:200]`, `632plus[:200]`, `optimism[:200]`, `resubstitution`. Case, blanks, hyphens and underscores
    do not matter.

    Raises:
        OptionError: there is no such method, or the number does not serve it.

    >>> method_of("kfold:5"), method_of("repeated:5x10")
    (KFold(k=5, stratified=True, repeats=1), KFold(k=10, stratified=True, repeats=5))
    >>> method_of("632+:100")
    Bootstrap632Plus(b=100, apparent='fit', average='row')
    """
    return method_in(text, FORMS)


def as_method(method: Any) -> Method:
    """Method as given: a value of this package, its text, a splitter of scikit-learn or another library, or its splits.

    Raises:
        OptionError: it is none of these.
    """
    return given_method(method, FORMS)


def _nested(given: str) -> Method:
    folds, _, measure = (given or "5x5").partition(":")
    outer, _, inner = folds.lower().replace("×", "x").partition("x")
    return Nested(KFold(whole(outer)), KFold(whole(inner)), **({"measure": measure.strip()} if measure else {}))


FORMS: dict[str, Form] = {**SIMPLE, "nested": _nested}
"""Name → from the text after the colon to the method."""
