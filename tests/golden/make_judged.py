"""Write judged.json: prediction-powered means of ppi-python 0.2.3 (`pip install ppi-python==0.2.3`, NumPy 2).

Run it beside this file: python make_judged.py
"""

import json
from pathlib import Path

import numpy as np
from ppi_py import ppi_mean_pointestimate

draws, cases = np.random.default_rng(37), []
for gold, others in ((5, 8), (40, 200)):
    truth = draws.random(gold + others) < 0.4
    judge = np.where(draws.random(gold + others) < 0.8, truth, ~truth)
    columns = [each.astype(float) for each in (truth[:gold], judge[:gold], judge[gold:])]
    weights = (0.0, 0.3, 1.0)
    found = {str(weight): float(np.squeeze(ppi_mean_pointestimate(*columns, lam=weight))) for weight in weights}
    tuned = float(np.squeeze(ppi_mean_pointestimate(*columns)))
    cases.append({"truth": truth[:gold].tolist(), "judge": judge.tolist(), "means": found, "tuned": tuned})
Path(__file__).with_name("judged.json").write_text(json.dumps(cases, default=int) + "\n")
