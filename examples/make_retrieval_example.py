"""Make the retrieval example: which handwritten digits look like this one, asked of two ways to compare images.

Run ``python examples/make_retrieval_example.py`` from anywhere; it needs scikit-learn and rewrites the TREC files
``digit_search.*`` in ``src/thresher/data``. The images are scikit-learn's digits (UCI, E. Alpaydin and C. Kaynak 1998,
CC BY 4.0). Every random choice is seeded.

Queries are 50 images, five of each digit, the documents are the others. A document is judged 2 when it shows the same
digit in the same half by ink, 1 when it shows the same digit, 0 otherwise. As in a real collection only a pool was
judged: the first 15 documents of each run and 10 more at random; of the pool a tenth was set aside unjudged (−1). The
runs list 40 documents by the cosine of all 64 pixels, and by the distance of 4 × 4 blocks of ink in whole steps, which
ties many. The second run crashed on two queries; two other queries were never judged.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from sklearn.datasets import load_digits

SEED = 0
QUERIES_A_DIGIT, LISTED, POOLED, MORE = 5, 40, 15, 10
DATA = Path(__file__).resolve().parents[1] / "src" / "thresher" / "data"


def name(prefix: str, row: int) -> str:
    """Identifier of an image, by its row from 1."""
    return f"{prefix}{row + 1:04d}"


def main() -> None:
    """Write the judgements and both runs."""
    rng = np.random.default_rng(SEED)
    digits = load_digits()
    images, labels = digits.data, digits.target
    dark = images.sum(axis=1) > np.median(images.sum(axis=1))
    queries = np.sort(
        np.concatenate([rng.choice(np.flatnonzero(labels == d), QUERIES_A_DIGIT, False) for d in range(10)])
    )
    documents = np.setdiff1d(np.arange(len(labels)), queries)
    lengths = np.linalg.norm(images, axis=1)
    cosine = images[queries] @ images[documents].T / lengths[queries, None] / lengths[documents]
    blocks = images.reshape(-1, 4, 2, 4, 2).sum(axis=(2, 4)).reshape(-1, 16)
    steps = -np.abs(blocks[queries][:, None] - blocks[documents]).sum(axis=2) // 8
    scores = {"pixels": cosine.round(5), "blocks": steps}
    skipped = {"pixels": set(), "blocks": set(rng.choice(len(queries), 2, False).tolist())}
    first = {run: np.argsort(-values, axis=1, kind="stable")[:, :LISTED] for run, values in scores.items()}
    unjudged = set(rng.choice(len(queries), 2, False).tolist()) - skipped["blocks"]
    lines = []
    for q, query in enumerate(queries.tolist()):
        if q in unjudged:
            continue
        some = rng.choice(len(documents), MORE, False)
        pool = np.unique(np.concatenate([some, *(order[q, :POOLED] for order in first.values())]))
        for place in pool.tolist():
            document = documents[place]
            same = labels[document] == labels[query]
            relevance = -1 if rng.random() < 0.1 else int(same) + int(same and dark[document] == dark[query])
            lines.append(f"{name('q', query)} 0 {name('d', int(document))} {relevance}\n")
    (DATA / "digit_search.qrels").write_text("".join(lines), encoding="ascii")
    for run, order in first.items():
        rows = [
            f"{name('q', int(query))} Q0 {name('d', int(documents[place]))} {rank} {scores[run][q, place]:g} {run}\n"
            for q, query in enumerate(queries.tolist()) if q not in skipped[run]
            for rank, place in enumerate(order[q].tolist(), start=1)
        ]  # fmt: skip
        (DATA / f"digit_search.{run}.run").write_text("".join(rows), encoding="ascii")


if __name__ == "__main__":
    main()
