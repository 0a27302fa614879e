"""Measures of one ranked list by their textbook definitions, and their means over all orders of tied documents."""

import math
from itertools import permutations, product
from statistics import fmean


def precision(rel, k, level=1):
    return sum(r >= level for r in rel[:k]) / k


def relevant(judged, level=1):
    return sum(r >= level for r in judged)


def average_precision(rel, judged, k=None, level=1):
    R = relevant(judged, level)
    cut = len(rel) if k is None else k
    hits = [precision(rel, i + 1, level) for i, r in enumerate(rel[:cut]) if r >= level]
    return sum(hits) / R if R else 0.0


def reciprocal_rank(rel, k=None, level=1):
    return next((1 / (i + 1) for i, r in enumerate(rel[:k]) if r >= level), 0.0)


def dcg(rel, gain, k=None):
    return sum((gain(r) if r >= 0 else 0.0) / math.log2(i + 2) for i, r in enumerate(rel[:k]))


def ndcg(rel, judged, gain, k=None):
    best = dcg(sorted((r for r in judged if r >= 0), key=gain, reverse=True), gain, k)
    return dcg(rel, gain, k) / best if best > 0 else 0.0


def err(rel, highest, k=None):
    value, reading = 0.0, 1.0
    for i, r in enumerate(rel[:k]):
        chance = (2 ** max(r, 0) - 1) / 2**highest
        value += reading * chance / (i + 1)
        reading *= 1 - chance
    return value


def rbp(rel, p, level=1):
    return (1 - p) * sum(p**i for i, r in enumerate(rel) if r >= level)


def bpref(rel, judged, level=1):
    R, N = relevant(judged, level), sum(0 <= r < level for r in judged)
    if not R:
        return 0.0
    total = 0.0
    for i, r in enumerate(rel):
        if r >= level:
            above = sum(0 <= x < level for x in rel[:i])
            total += 1 - min(above, R) / min(N, R) if above else 1.0
    return total / R


def interpolated(rel, judged, recall, level=1):
    """Highest precision at the rank of the relevant document that reaches the recall, or later."""
    R = relevant(judged, level)
    wanted = max(1, int(recall * R + 0.9))
    at = [precision(rel, i + 1, level) for i, r in enumerate(rel) if r >= level]
    return max(at[wanted - 1 :], default=0.0)


def infap(rel, judged, level=1):
    R, total, tiny = relevant(judged, level), 0.0, 1e-5
    for i, r in enumerate(rel):
        if r < level:
            continue
        above = rel[:i]
        hits, misses = sum(x >= level for x in above), sum(0 <= x < level for x in above)
        pool = hits + misses + sum(x == -2 for x in above)
        inferred = (hits + tiny) / (hits + misses + 2 * tiny)
        total += 1 / (i + 1) + (i / (i + 1)) * (pool / i) * inferred if i else 1.0
    return total / R if R else 0.0


def r_precision(rel, judged, level=1):
    R = relevant(judged, level)
    return sum(r >= level for r in rel[:R]) / R if R else 0.0


def orders(rel, tied):
    """Every order of a list in which only tied documents change places."""
    groups = []
    for r, same in zip(rel, tied, strict=True):
        if same and groups:
            groups[-1].append(r)
        else:
            groups.append([r])
    for parts in product(*(list(permutations(group)) for group in groups)):
        yield [r for part in parts for r in part]


def definitions(highest, gains):
    """Name of a measure → function of (list, judgements), for every measure with a definition of its own."""
    linear, exponential = float, lambda r: 2.0 ** max(r, 0) - 1
    found = {
        "map": average_precision,
        "Rprec": r_precision,
        "recip_rank": lambda rel, _j: reciprocal_rank(rel),
        "bpref": bpref,
        "infAP": infap,
        "ndcg": lambda rel, j: ndcg(rel, j, linear),
        "dcg": lambda rel, _j: dcg(rel, linear),
        "ndcg_exp": lambda rel, j: ndcg(rel, j, exponential),
        "dcg_exp": lambda rel, _j: dcg(rel, exponential),
        "err": lambda rel, _j: err(rel, highest),
        "rbp.0.8": lambda rel, _j: rbp(rel, 0.8),
        "rbp.0.5": lambda rel, _j: rbp(rel, 0.5),
        "set_P": lambda rel, _j: precision(rel, len(rel)) if rel else 0.0,
        "set_recall": lambda rel, j: sum(r >= 1 for r in rel) / relevant(j) if relevant(j) else 0.0,
        "num_rel_ret": lambda rel, _j: sum(r >= 1 for r in rel),
        "num_nonrel_judged_ret": lambda rel, _j: sum(r == 0 for r in rel),
        "num_nonjudged_ret": lambda rel, _j: sum(r < 0 for r in rel),
        "11pt_avg": lambda rel, j: fmean(interpolated(rel, j, i / 10) for i in range(11)),
        "ndcg." + ",".join(f"{r}={g:g}" for r, g in gains.items()): lambda rel, j: ndcg(
            rel, j, lambda r: gains.get(r, float(r))
        ),
    }
    for k in (1, 2, 3, 7):
        found |= at_cut(k, linear, exponential, highest)
    for recall in (0.0, 0.1, 0.35, 0.5, 1.0):
        found[f"iprec_at_recall.{recall}"] = lambda rel, j, x=recall: interpolated(rel, j, x)
    return found


def at_cut(k, linear, exponential, highest):
    def f1(rel, judged):
        p, r = precision(rel, k), sum(x >= 1 for x in rel[:k]) / max(1, relevant(judged))
        return 2 * p * r / (p + r) if p + r else 0.0

    return {
        f"P.{k}": lambda rel, _j: precision(rel, k),
        f"recall.{k}": lambda rel, j: sum(r >= 1 for r in rel[:k]) / relevant(j) if relevant(j) else 0.0,
        f"F.{k}": f1,
        f"success.{k}": lambda rel, _j: float(any(r >= 1 for r in rel[:k])),
        f"map_cut.{k}": lambda rel, j: average_precision(rel, j, k),
        f"recip_rank_cut.{k}": lambda rel, _j: reciprocal_rank(rel, k),
        f"ndcg_cut.{k}": lambda rel, j: ndcg(rel, j, linear, k),
        f"ndcg_exp_cut.{k}": lambda rel, j: ndcg(rel, j, exponential, k),
        f"dcg_cut.{k}": lambda rel, _j: dcg(rel, linear, k),
        f"err_cut.{k}": lambda rel, _j: err(rel, highest, k),
        f"relative_P.{k}": lambda rel, j: sum(r >= 1 for r in rel[:k]) / min(k, relevant(j)) if relevant(j) else 0.0,
        f"judged.{k}": lambda rel, _j: sum(r >= 0 for r in rel[:k]) / min(k, len(rel)) if rel else 0.0,
    }
