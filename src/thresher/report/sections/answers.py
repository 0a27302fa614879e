"""How good, how sure, and which is better: answers shared by all kinds of results."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from thresher._util.fast_dataclass import dataclass
from thresher._util.json_values import format_distinct, plain_text
from thresher.errors import capital, listed
from thresher.finding import INTERVAL, Finding, Question, Severity
from thresher.measures.measure_text import parse_measure
from thresher.measures.shown import SHARES
from thresher.report.numbers import brief, decimals, estimated, level, number, p_text, percent
from thresher.results import Estimate

if TYPE_CHECKING:
    from thresher.inference.comparing.comparison import Comparison

CHANCE = 0.5
"""AUC of an uninformative score."""
LARGE = 0.1
"""Value from which on two decimals are enough for a headline."""
WELL = 0.8
"""Lowest AUC that is called ranking well."""
NAMED = 3
"""Models that a sentence names."""


def finding(
    question: Question, code: str, severity: Severity, headline: str, text: str, evidence: str = "summary"
) -> Finding:
    """Return a finding from its parts."""
    return Finding(
        question=question, code=code, severity=severity, headline=headline, text=text, evidence=evidence
    )  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Trivial:
    """Value of a trivial baseline, and the words for models above and below it.

    From `well` on a model does well; only with it does a model below the rule rank the wrong way.
    """

    value: float
    beats: str
    worse: str
    shown: str
    code: str = "no-better-than-chance"
    well: tuple[float, str] | None = None

    @property
    def is_of_classes(self) -> bool:
        """Whether the rule is to predict the most frequent class."""
        return self.code == BASE_RATE


BASE_RATE = "accuracy-not-above-base-rate"
BY_CHANCE = Trivial(
    value=CHANCE, beats="ranks better than chance", worse="ranks worse than chance", shown="chance 0.5",
    well=(WELL, "ranks well"),
)  # fmt: skip


def trivial_of(measure: str, rate: float, label: str) -> Trivial | None:
    """Return the trivial baseline of a measure; `rate` is the share of the most frequent class."""
    rule, shown = f"always predicting “{label}”", f"against {brief(rate)}"
    always = Trivial(value=rate, beats=f"beats {rule}", worse=f"is worse than {rule}", shown=shown, code=BASE_RATE)
    return {"auc": BY_CHANCE, "accuracy": always}.get(measure)


def quality(name: str, found: Estimate, title: str, trivial: Trivial | None = None) -> Finding:
    """Answer how good a model is, compared with a trivial baseline if there is one."""
    short = f"{title} {number(found.value, 2 if found.value >= LARGE else decimals(found))}"
    if trivial is None:
        return finding("good", "quality", "neutral", capital(short), f"{name}: {title} {estimated(found)}.")
    shown = f"{title} {estimated(found)} ({trivial.shown})"
    if found.low is None:
        return finding("good", "quality", "neutral", capital(short), f"{name}: {shown}, without an interval.")
    if found.low > trivial.value:
        least, well = trivial.well or (trivial.value, trivial.beats)
        does, yes = (well, "Yes") if found.value >= least else (trivial.beats, "Better than chance")
        return finding("good", "quality", "good", f"{yes}: {short}", f"{name} {does}: {shown}.")
    is_worse = found.high is not None and found.high < trivial.value
    if trivial.well and is_worse:
        return turned(name, found, title)
    if is_worse:
        return finding("good", trivial.code, "warning", f"No: {short}", f"{name} {trivial.worse}: {shown}.")
    text = f"No evidence that {name} {trivial.beats}: {shown}."
    return finding("good", trivial.code, "warning", f"Not shown: {short}", text)


def is_turned(found: Estimate) -> bool:
    """Return whether the interval of an AUC is below ½."""
    return found.is_defined and found.high is not None and found.high < CHANCE


def turned(name: str, found: Estimate, title: str, question: Question = "good") -> Finding:
    """Warn that a model ranks the wrong way."""
    text = f"{name} ranks the wrong way ({title} {estimated(found)}): check which class is positive."
    return finding(question, "reversed", "warning", f"Ranks the wrong way: {title} {number(found.value, 2)}", text)


def certainty(name: str, found: Estimate, title: str) -> Iterator[Finding]:
    """Put an interval into words; nothing without one."""
    if found.low is None or found.high is None or not found.is_defined:
        return
    sure = f"({level(found.level or 0)} confidence)"
    if found.name in SHARES:
        does, units, well = SHARES[found.name]
        many = f"{' to '.join(percent(end).removesuffix(' %') for end in (found.low, found.high))} of 100"
        headline, text = f"{many} {units.split()[-1]}", f"{name} {does} {many} {units} {well} {sure}."
    else:
        ends, digits = (found.low, found.high), decimals(found)
        headline = " to ".join(format_distinct(ends, number, 2 if found.low >= LARGE else digits))
        text = f"{capital(title)} of {name}: {number(found.low, digits)} to {number(found.high, digits)} {sure}."
    yield finding("sure", INTERVAL, "neutral", headline, text)


def better(
    order: Sequence[tuple[str, Estimate]],
    title: str,
    tested: Mapping[str, Comparison],
    others: Sequence[Comparison] = (),
    *,
    most: str = "high",
) -> Finding:
    """Answer which model is better: of two by how many measures, of more with the models that may be as good.

    `order` has the best first, `tested` its tests against each of the others by the same measure, and `others` those by
    other measures; `most` is "low" where less is better.
    """
    (best, value), *rest = order
    if len(tested) < len(rest):
        shown = number(value.value, decimals(value))
        text = f"{best} has the {most}est {title}, {shown}; the difference is not tested."
        return finding("better", "highest-untested", "neutral", f"{best}, untested", text)
    unequal = {name for c in others if c.is_significant for name in c.models}
    if twins := [name for name, c in tested.items() if c.is_same and name not in unequal]:
        return _of_twins(order, twins, title, tested, others)
    if len(rest) == 1:
        return _of_two(best, rest[0][0], next(iter(tested.values())), title, others, most)
    lost = [c for c in others if c.is_significant and c.better != best]
    also = f"; by {_title(lost[0])} {lost[0].better} is better ({_p(lost[0])})" if lost else ""
    tied = [name for name, c in tested.items() if not c.is_significant]
    if not tied:
        won = won_by(best, others)
        beaten = (*tested.values(), *(c for c in others if c.measure in won))
        least = max(beaten, key=lambda c: c.final_p[0])
        titles = listed([title, *(parse_measure(measure).title for measure in won)])
        many = "both others" if len(rest) == 2 else f"all {len(rest)} others"
        text = f"{best} is better than {many} in {titles} (largest {_p(least)}){also}."
        headline = f"{best}, but not by {_title(lost[0])}" if lost else best
        return finding("better", "best-model", "neutral" if lost else "good", headline, text, "comparisons")
    named = listed(tied) if len(tied) <= NAMED else f"{', '.join(tied[:NAMED])} and {len(tied) - NAMED} more"
    text = f"{best} has the {most}est {title}; {named} {'is' if len(tied) == 1 else 'are'} not shown to be worse{also}."
    headline = f"{best} or {tied[0]}" if len(tied) == 1 else f"{best} or {len(tied)} others"
    return finding("better", "tied-models", "neutral", headline, text, "comparisons")


def _of_twins(
    order: Sequence[tuple[str, Estimate]], twins: Sequence[str], title: str, tested: Mapping[str, Comparison],
    others: Sequence[Comparison],
) -> Finding:  # fmt: skip
    """Answer which model is better where the best ones have the same value without any variance."""
    (best, value), *_ = order
    named, shown = _several([best, *twins]), number(value.value, decimals(value))
    are_copies = set(twins) == set(copies_of(best, [*tested.values(), *others]))
    does = f"are identical ({title} {shown})" if are_copies else f"have the same {title}, {shown}"
    rest = [name for name, c in tested.items() if name not in twins and not c.is_significant]
    more = f"; {_several(rest)} {'is' if len(rest) == 1 else 'are'} not shown to be worse" if rest else ""
    headline = "Identical" if are_copies else f"Same {title}"
    return finding("better", "same-models", "neutral", headline, f"{named} {does}{more}.", "comparisons")


def copies_of(name: str, found: Sequence[Comparison]) -> list[str]:
    """Return models that are equal to one by several measures and differ in none, not by chance."""
    own = [(next(other for other in c.models if other != name), c) for c in found if name in c.models]
    known = {other: [c for each, c in own if each == other] for other, _ in own}
    return [
        other
        for other, each in known.items()
        if len(each) > 1 and any(c.is_same for c in each) and not any(c.difference for c in each)
    ]


def _of_two(best: str, other: str, c: Comparison, title: str, others: Sequence[Comparison], most: str) -> Finding:
    """Answer which of two models is better, and by how many measures."""
    sign = 1 if (c.models[0] == best) == (most == "high") else -1
    ends = () if c.low is None or c.high is None else sorted((sign * c.low, sign * c.high))
    low, high = ends or (None, None)
    by = f"{estimated(Estimate(name=c.measure, value=sign * c.difference, low=low, high=high))}, {_p(c)}"
    shown = [each for each in others if each.is_significant]
    won = {name: [_title(each) for each in shown if each.better == name] for name in (best, other)}
    if not c.is_significant:
        text = f"No significant difference in {title} between {best} and {other} ({by})"
        but = " and ".join(f"{name} has the better {listed(by)}" for name, by in won.items() if by)
        headline = "No clear winner" if but else "No significant difference"
        return finding(
            "better", "tied-models", "neutral", headline, f"{text}{f', but {but}' if but else ''}.", "comparisons"
        )
    if won[other]:
        text = f"{best} has the {most}er {title} (by {by}), but {other} has the better {listed(won[other])}."
        return finding("better", "best-model", "neutral", f"{best}, but not by {won[other][0]}", text, "comparisons")
    wins, all_ = 1 + len(won[best]), 1 + len(others)
    every = "both" if all_ == 2 else f"all {all_}"
    count = f" by {every} measures" if wins == all_ > 1 else f" by {wins} of {all_} measures" if all_ > 1 else ""
    text = f"{best} is better than {other}{count}: {title} {most}er by {by}."
    return finding("better", "best-model", "good", best, text, "comparisons")


def tested_against(best: str, names: Iterable[str], compared: Iterable[Comparison]) -> dict[str, Comparison]:
    """Return the comparison of the best model with each other one that has one, by its name."""
    pairs = {frozenset(map(plain_text, c.models)): c for c in compared}
    return {name: c for name in names if name != best and (c := pairs.get(frozenset((best, name)))) is not None}


def won_by(name: str, compared: Sequence[Comparison]) -> list[str]:
    """Return measures in which a model is significantly better than all its rivals."""
    lost = {c.measure for c in compared if not (c.is_significant and c.better == name)}
    return [measure for measure in dict.fromkeys(c.measure for c in compared) if measure not in lost]


def _title(c: Comparison) -> str:
    return parse_measure(c.measure).title


def tested_by(tested: Mapping[str, Comparison]) -> Iterator[Finding]:
    """Name the test, and the number of comparisons that p values are adjusted for."""
    if not tested:
        return
    one = next(iter(tested.values()))
    adjusted = f", adjusted for {one.family} comparisons" if one.adjusted_p_value is not None else ""
    method = "; ".join(dict.fromkeys(c.method for c in tested.values()))
    yield finding(
        "better", "tested-by", "neutral", "How it was tested", f"Tested by {method}{adjusted}.", "comparisons"
    )


def _p(c: Comparison) -> str:
    return f"{'' if c.adjusted_p_value is None else 'adjusted '}{p_text(*c.final_p)}"


def no_better(rows: Sequence[tuple[str, str | None]], rate: float, label: str, evidence: str) -> Iterator[Finding]:
    """Warn of all models with an accuracy not above the most-frequent-class baseline."""
    worse = [name for name, where in rows if where == "below"]
    unshown = [name for name, where in rows if where not in (None, "above", "below")]
    rule = f"always predicting “{label}” ({brief(rate)})"
    if worse:
        more = f", and not shown to be beaten by {_several(unshown)}" if unshown else ""
        text = f"{capital(rule)} is more accurate than {_several(worse)}{more}."
        yield finding("watch", BASE_RATE, "warning", f"Accuracy worse than always “{label}”", text, evidence)
    elif unshown:
        text = f"The accuracy of {_several(unshown)} is not shown to beat {rule}."
        yield finding("watch", BASE_RATE, "warning", f"Accuracy not shown above always “{label}”", text, evidence)


def _several(names: Sequence[str]) -> str:
    return listed(names) if len(names) <= NAMED else f"{', '.join(names[:NAMED])} and {len(names) - NAMED} more"
