"""`thresher.inference` gives every public function by name, and no name is taken by a module."""

import pkgutil

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
