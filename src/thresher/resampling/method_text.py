"""A method of resampling as written on one line (`kfold:10`, `repeated:5x10`, `632plus:200`)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from thresher.resampling.method_forms import method_in

if TYPE_CHECKING:
    from thresher.resampling.methods import Method


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
    found: Method = method_in(text)
    return found
