"""`thresher.inference` gives every public function by name, and no name is taken by a module."""

import pkgutil
import subprocess
import sys

import pytest

from thresher import inference


@pytest.mark.parametrize("name", inference.__all__)
def test_public_names_load_and_say_what_they_do(name):
    assert getattr(inference, name).__doc__


def test_no_name_is_that_of_a_module():
    modules = {module.name for module in pkgutil.iter_modules(inference.__path__)}
    assert modules.isdisjoint(inference.__all__)


def test_an_unknown_name_is_an_error():
    with pytest.raises(AttributeError, match="no attribute 'walt_interval'"):
        _ = inference.walt_interval


FORMER = """
import sys
from thresher.inference.compare_measure import wanted
import thresher.inference.mcnemar as mcnemar
import thresher
print("thresher.inference.differences.mcnemar" in sys.modules)
from thresher.inference.delong_tests import delong_test, delong_test_unpaired
from thresher.inference.delong_test_many import delong_covariance, delong_pairwise_tests, delong_contrast_test
from thresher.inference.fixed_point import fixed_point_test
from thresher.inference.equivalence import equivalence_test
from thresher.inference.multiclass_tests import multiclass_auc_test, multiclass_auc_test_unpaired
print(wanted("tpr@fpr=0.01").at_value, mcnemar.mcnemar_test([[10, 0], [0, 10]]).p_value)
print(thresher.inference.delong_test is thresher.inference.delong_tests.delong_test)
try:
    from thresher.inference.mcnemar import no_such
except ImportError:
    print("none")
"""


def test_modules_that_were_documented_keep_their_names():
    done = subprocess.run([sys.executable, "-c", FORMER], capture_output=True, text=True, check=True)
    assert done.stdout.split("\n") == ["False", "0.01 1.0", "True", "none", ""]
