"""Write judged.json: prediction-powered means of ppi-python 0.2.3 and glide-py 0.11.0.

`pip install ppi-python==0.2.3 glide-py==0.11.0` (Python 3.12, NumPy 2), then beside this file: python make_judged.py
"""

import json
from pathlib import Path

import numpy as np
from glide.estimators import PPIMeanEstimator
from ppi_py import ppi_mean_pointestimate

draws, cases = np.random.default_rng(37), []
for gold, others in ((5, 8), (40, 200)):
    truth = draws.random(gold + others) < 0.4
    judge = np.where(draws.random(gold + others) < 0.8, truth, ~truth)
    columns = [each.astype(float) for each in (truth[:gold], judge[:gold], judge[gold:])]
    weights = (0.0, 0.3, 1.0)
    found = {str(weight): float(np.squeeze(ppi_mean_pointestimate(*columns, lam=weight))) for weight in weights}
    tuned = float(np.squeeze(ppi_mean_pointestimate(*columns)))
    gaps = np.where(np.arange(gold + others) < gold, truth, np.nan)
    plain, glide = (PPIMeanEstimator().estimate(gaps, judge.astype(float), power_tuning=each) for each in (False, True))
    cases.append({
        "truth": truth[:gold].tolist(), "judge": judge.tolist(), "means": found, "tuned": tuned,
        "glide": {"plain": plain.mean, "tuned": glide.mean},
    })  # fmt: skip
Path(__file__).with_name("judged.json").write_text(json.dumps(cases, default=int) + "\n")
