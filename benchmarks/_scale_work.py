"""What the processes of bench_scale.py run: each sets `found`; its seconds are those since `start` if it sets none."""

PARQUET = """
import duckdb
start = time.perf_counter()
logit = f"SELECT 6 - 6 * random() AS x FROM range({ROWS})"
drawn = f"SELECT 1 / (1 + exp(x)) AS score, 1 / (1 + exp(x + 2 * random() - 1)) AS second FROM ({logit})"
with duckdb.connect() as connection:
    connection.execute("SELECT setseed(0.5)")
    rows = f"SELECT score, second, (random() < score)::TINYINT AS label FROM ({drawn})"
    connection.execute(f"COPY ({rows}) TO '{FILE}' (FORMAT parquet)")
found = {}
"""
"""Scores uniform in the logit, labels drawn by them (7 % positive, calibrated), and a second, noisier score."""

SMALL = """
import numpy as np
start = time.perf_counter()
draws = np.random.default_rng(0)
logit = draws.normal(size=1000)
columns = np.column_stack([draws.random(1000) < 1 / (1 + np.exp(-logit)), 1 / (1 + np.exp(-logit))])
np.savetxt(FILE, columns, fmt=["%d", "%.17g"], delimiter=",", header="label,score", comments="")
found = {}
"""

SCAN = """
import duckdb
with duckdb.connect(config={"threads": THREADS}) as connection:
    start = time.perf_counter()
    connection.execute("SELECT sum(score), sum(label) FROM read_parquet(?)", [FILE]).fetchall()
    found = {}
"""

COUNT = """
import duckdb
import thresher as th
th.count([1, 0], [0.5, 0.25])
start, begun = time.perf_counter(), time.process_time()
counts = th.count(FILE, "score", label="label", positive=1, resolution=BITS)
found = {"cpu": time.process_time() - begun, "bound": float(counts["score"].auc_bound)}
"""

REPORT = """
import os, tempfile
from thresher.cli.main import cli
start = time.perf_counter()
with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "report.json")
    try:
        cli.main(["report", FILE, "--label", "label", "--positive", "1", *SCORES, *OPTIONS, "-o", path, "--quiet"])
    except SystemExit as end:
        if end.code:
            raise
    with open(path) as report:
        measures = json.load(report)["models"]["score"]["measures"]
found = {"auc": measures["auc"]["value"]}
"""

EXACT = """
import duckdb
from thresher.metrics import roc_auc_score
start = time.perf_counter()
with duckdb.connect() as connection:
    columns = connection.execute("SELECT score, label FROM read_parquet(?)", [FILE]).fetchnumpy()
found = {"auc": float(roc_auc_score(columns["label"], columns["score"]))}
"""

ROWS_IN_MEMORY = """
import os, tempfile, threading
import numpy as np
import thresher as th
from thresher.metrics import roc_auc_score

def held():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

def watch():
    while True:
        most[0] = max(most[0], held())
        time.sleep(0.01)

draws = np.random.default_rng(0)
logit = 6 - 6 * draws.random(ROWS)
a, b = 1 / (1 + np.exp(logit)), 1 / (1 + np.exp(logit + 2 * draws.random(ROWS) - 1))
y = (draws.random(ROWS) < a).astype(np.int8)
del logit
with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "report.html")
    th.evaluate(y[:1000], {"a": a[:1000], "b": b[:1000]}, positive=1).report(path)
    def timed(work):
        begun, start = time.process_time(), time.perf_counter()
        work()
        return time.perf_counter() - start, time.process_time() - begun

    start = time.perf_counter()
    base = held()
    most = [base]
    threading.Thread(target=watch, daemon=True).start()
    # By turns, as the machine is not the same all the time; the first of each may wait for memory, which the host of a
    # virtual machine fetches anew after some seconds.
    turns = [
        (
            timed(lambda: (roc_auc_score(y, a), roc_auc_score(y, b))),
            timed(lambda: th.evaluate(y, {"a": a, "b": b}, positive=1).report(path)),
        )
        for _ in range(5)
    ]
    first = turns[0][1][0]
    (areas, areas_cpu), (seconds, cpu) = (tuple(map(min, zip(*each))) for each in zip(*turns))
    with open(path, encoding="utf-8") as page:
        compared = "models are not compared" not in page.read()
found = {"seconds": seconds, "areas": areas, "ratio": cpu / areas_cpu, "above": most[0] - base, "compared": compared,
         "first": first}
"""

DASK = """
if __name__ == "__main__":
    import dask.dataframe as dd
    from dask.distributed import Client, LocalCluster
    import thresher as th
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster, Client(cluster):
        frame = dd.read_parquet(FILE, columns=["score", "label"], split_row_groups="adaptive")
        th.count(frame.partitions[:1], "score", label="label", positive=1)
        start = time.perf_counter()
        counts = th.count(frame, "score", label="label", positive=1)
        seconds = time.perf_counter() - start
    found = {"seconds": seconds}
"""

SPARK = """
import os, sys
os.environ["PYSPARK_PYTHON"] = sys.executable
from pyspark.sql import SparkSession
import thresher as th
builder = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
session = builder.config("spark.driver.memory", "4g").config("spark.log.level", "OFF").getOrCreate()
frame = session.read.parquet(FILE).select("score", "label")

def count():
    return th.count(frame, "score", label="label", positive=1)

grouped = frame.groupBy("score").agg({"label": "sum", "*": "count"})

def group():
    grouped.write.format("noop").mode("overwrite").save()

def bring():
    grouped.toArrow()

took = {count: [], group: [], bring: []}
for _ in range(10):  # Java compiles what has run for some seconds; then the best of five of each, in turn
    for work, times in took.items():
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
best = {work: min(times[5:]) for work, times in took.items()}
found = {"seconds": best[count], "grouped": best[group], "brought": best[bring], "scores": len(count()["score"].scores)}
session.stop()
"""

GROUPS = """
import os, tempfile
import duckdb
import thresher as th
with tempfile.TemporaryDirectory() as folder:
    path, counted = (os.path.join(folder, name) for name in ("rows.parquet", "rows.counts.parquet"))
    with duckdb.connect() as connection:
        connection.execute("SELECT setseed(0.5)")
        drawn = f"SELECT random() AS score, floor(random() * 10000)::INTEGER AS site FROM range({ROWS})"
        rows = f"SELECT score, site, (random() < score)::TINYINT AS label FROM ({drawn})"
        connection.execute(f"COPY ({rows}) TO '{path}' (FORMAT parquet)")
    start = time.perf_counter()
    th.count(path, "score", label="label", by="site").save(counted)
    count = time.perf_counter() - start
    start = time.perf_counter()
    both = th.Counts.load(counted) + th.Counts.load(counted)
    merge = time.perf_counter() - start
    start = time.perf_counter()
    th.evaluate(both).report(os.path.join(folder, "report.html"))
    found = {"count": count, "merge": merge, "report": time.perf_counter() - start, "groups": len(both.groups)}
"""

METRICS = """
import numpy as np
import sklearn.metrics
import thresher.metrics
draws = np.random.default_rng(0)
y = draws.integers(0, 2, ROWS)
score = draws.normal(size=ROWS) + y
ours, theirs = getattr(thresher.metrics, NAME), getattr(sklearn.metrics, NAME)
assert abs(ours(y, score) - theirs(y, score)) < 1e-9
start = time.perf_counter()

def best(function):
    calls = max(1, int(1e5 / ROWS))
    times = []
    for _ in range(3 if ROWS > 1e6 else 9):
        begun = time.perf_counter()
        for _ in range(calls):
            function(y, score)
        times.append((time.perf_counter() - begun) / calls)
    return min(times)

found = {"ratio": best(theirs) / best(ours)}
"""

END = """
import resource
used = resource.getrusage(resource.RUSAGE_SELF)
usual = {"seconds": time.perf_counter() - start, "cpu": used.ru_utime + used.ru_stime, "peak": used.ru_maxrss * 1024}
print()  # so that it is on a line of its own, whatever progress was shown
print(json.dumps({**usual, **found}))
"""
