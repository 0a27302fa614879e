"""`thresher doctor`: versions, the kernel in use and why, and a test of both."""

from __future__ import annotations

import os
import platform
import re
import sys
from collections.abc import Callable, Iterator
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from thresher._util.fast_dataclass import dataclass
from thresher.cli.exit import CHECK_FAILED, FINE
from thresher.cli.options import Arguments, command
from thresher.cli.streams import write_text
from thresher.errors import OptionError

NEEDED = ("numpy", "scipy", "narwhals", "array-api-compat", "nanoarrow", "duckdb", "click", "rich")
OPTIONAL = {
    "pandas": "its dataframes are read",
    "polars": "its dataframes are read",
    "pyarrow": "its tables are read",
    "matplotlib": "curve.plot()",
    "scikit-learn": "evaluate_estimator() on its models",
}
MODULES = {"scikit-learn": "sklearn", "array-api-compat": "array_api_compat"}
DEVICES: dict[str, Callable[[Any], list[str]]] = {
    "torch": lambda torch: [
        *map(torch.cuda.get_device_name, range(torch.cuda.device_count())),
        *["Metal"] * torch.backends.mps.is_available(),
    ],
    "jax": lambda jax: [str(device) for device in jax.devices() if device.platform != "cpu"],
    "cupy": lambda cupy: [
        cupy.cuda.runtime.getDeviceProperties(i)["name"].decode() for i in range(cupy.cuda.runtime.getDeviceCount())
    ],
}
"""Names of the devices that an array library has."""

# Example 5 of the specification: ten ranked rows, one tie-free, AUC 19/25.
TRUTH = (1, 1, 0, 1, 1, 0, 0, 0, 1, 0)
SCORES = (0.90, 0.80, 0.70, 0.60, 0.55, 0.54, 0.53, 0.51, 0.50, 0.40)
AUC = 0.76


@dataclass(frozen=True)
class Probe:
    """One line of the report; `fine` is None for plain information."""

    fine: bool | None
    sentence: str


@command("")
def doctor(_args: Arguments) -> int:
    """Show versions, and test the installation. Exit code 1 when something is wrong."""
    findings = [*_platform(), *_packages(), *_kernel(), *_devices(), *_file()]
    marks = {True: "ok   ", False: "WRONG", None: "     "}
    write_text("\n".join(f"{marks[finding.fine]}  {finding.sentence}" for finding in findings))
    wrong = sum(finding.fine is False for finding in findings)
    write_text(f"\n{wrong} of these {'is' if wrong == 1 else 'are'} wrong." if wrong else "\nEverything is in order.")
    return CHECK_FAILED if wrong else FINE


def _platform() -> Iterator[Probe]:
    from thresher import __version__

    yield Probe(None, f"thresher {__version__} in {os.path.dirname(os.path.dirname(__file__))}")
    machine = f"{platform.system()} {platform.machine()}"
    yield Probe(
        sys.version_info >= (3, 11),
        f"Python {platform.python_version()} ({platform.python_implementation()}) on {machine}",
    )
    yield Probe(None, f"stdout is written as {getattr(sys.stdout, 'encoding', None) or 'bytes'}")


def _packages() -> Iterator[Probe]:
    """Check needed packages against their required versions, then optional ones."""
    minimum = _minimum_versions()
    for name in NEEDED:
        found = _version(name)
        at_least = minimum.get(name, "")
        if found is None:
            yield Probe(False, f"{name} is not installed: pip install {name}")
        elif _numbers(found) < _numbers(at_least):
            yield Probe(False, f"{name} {found} is older than {at_least}: pip install -U {name}")
        else:
            yield Probe(True, f"{name} {found}")
    for name, use in OPTIONAL.items():
        found = _version(name)
        yield Probe(None, f"{name} {found}" if found else f"{name} is not installed (optional: {use})")


def _kernel() -> Iterator[Probe]:
    """Report the kernel in use and why, and its AUC of ten rows that were counted by hand."""
    try:
        import numpy as np

        from thresher import kernel

        name, why = kernel.implementation(), kernel.why()
        sums = kernel.concordance(np.array(TRUTH, dtype=np.uint8), SCORES)
        value = sums.twice_u / (2 * sums.positives * sums.negatives)
    except Exception as problem:
        yield Probe(False, f"kernel: {' '.join(str(problem).split())}")
        return
    slower = "" if name == "native" else " (the same values, several times slower)"
    yield Probe(True, f"kernel: {name}{slower}: {why}")
    if abs(value - AUC) < 1e-12:
        yield Probe(True, f"kernel self-test: the AUC of ten known rows is {AUC}")
    else:
        yield Probe(False, f"kernel self-test: the AUC of ten known rows is {AUC}, but the kernel gives {value!r}")
    yield from _threads()


def _threads() -> Iterator[Probe]:
    """Threads of a call, and their limits."""
    from thresher._util.threads import limits

    try:
        found = limits()
    except OptionError as problem:
        yield Probe(False, f"threads: {problem}")
        return
    text = ", ".join(f"{name}: {most}" for name, most in found.items())
    yield Probe(None, f"threads: up to {min(found.values())} in a call ({text})")


def _devices() -> Iterator[Probe]:
    """Devices of the installed array libraries, which count arrays on the device."""
    for library, devices in DEVICES.items():
        if find_spec(library) is None:
            continue
        try:
            found = devices(import_module(library))
        except Exception as problem:  # a driver that is missing or does not fit
            yield Probe(None, f"{library} {_version(library)}: {' '.join(str(problem).split())}")
            continue
        yield Probe(None, f"{library} {_version(library)}: {', '.join(found) or 'no device besides the processor'}")


def _file() -> Iterator[Probe]:
    """Test reading a file, on the example that ships in the package."""
    from importlib import resources

    try:
        from thresher import readers

        with resources.as_file(resources.files("thresher").joinpath("data", "breast_cancer.csv")) as path:
            rows = readers.load(str(path), ["random_forest"], label="diagnosis", positive="malignant")
        fine = len(rows) == 569 and int(rows.truth.sum()) == 212
    except Exception as problem:
        yield Probe(False, f"reading a file: {' '.join(str(problem).split())}")
        return
    yield Probe(fine, "reading a file: 569 rows, 212 of them positive, were " + ("read" if fine else "misread"))


def _version(name: str) -> str | None:
    """Version of a package that can be imported, without importing it."""
    from importlib import metadata

    try:
        return metadata.version(name) if find_spec(MODULES.get(name, name)) else None
    except metadata.PackageNotFoundError:
        return None


def _minimum_versions() -> dict[str, str]:
    """Least version of each needed package, from the installed metadata; none when run from a source tree."""
    from importlib import metadata

    try:
        required = metadata.requires("thresher") or []
    except metadata.PackageNotFoundError:
        return {}
    found = (re.match(r"([\w-]+)\s*>=\s*([\d.]+)", line) for line in required if "extra" not in line)
    return {match[1]: match[2] for match in found if match}


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", version)[:3])
