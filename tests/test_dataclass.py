"""The quick `dataclass` makes what that of `dataclasses` makes."""

import copy
import dataclasses
import inspect
import pickle
from dataclasses import field, fields, replace

import pytest

from thresher._util.fast_dataclass import dataclass


class Body:
    """A value."""

    first: float
    second: "str | None" = None
    third: dict = field(default_factory=dict, repr=False)
    fourth: int = field(default=4, init=False)
    fifth: str = field(default="five", kw_only=True)
    sixth: float = field(default=0.0, compare=False)

    def __post_init__(self) -> None:
        if self.first < 0:
            raise ValueError("negative")


OPTIONS = [
    {}, {"slots": True}, {"eq": False}, {"kw_only": True}, {"slots": True, "kw_only": True, "eq": False},
]  # fmt: skip


def made(decorator, body=Body, **options):
    named = {name: value for name, value in vars(body).items() if name not in ("__dict__", "__weakref__")}
    return decorator(frozen=True, **options)(type(body.__name__, (), named))


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_signature_text_and_fields_are_those_of_the_library(options):
    quick, slow = made(dataclass, **options), made(dataclasses.dataclass, **options)
    assert str(inspect.signature(quick)) == str(inspect.signature(slow))
    assert quick.__init__.__annotations__ == slow.__init__.__annotations__
    assert repr(quick(first=1.5, third={1: 2})) == repr(slow(first=1.5, third={1: 2}))
    assert [part.name for part in fields(quick)] == [part.name for part in fields(slow)]
    assert quick.__match_args__ == slow.__match_args__
    assert repr(quick.__dataclass_params__) == repr(slow.__dataclass_params__)
    assert {name for name in vars(slow) if name.startswith("__")} == {n for n in vars(quick) if n.startswith("__")}
    assert all(getattr(quick, n).__qualname__ == getattr(slow, n).__qualname__ for n in ("__init__", "__setattr__"))


class Plain:
    """A value of fields with defaults at the most."""

    first: float
    second: "str | None"
    third: int = 3
    fourth: str = "a0"


@pytest.mark.parametrize("is_checked", [False, True])
@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_plain_fields_are_taken_as_by_the_library(options, is_checked):
    seen = []
    body = type(
        "Plain",
        (Plain,),
        {**vars(Plain), "__post_init__": lambda self: seen.append(self.third)} if is_checked else dict(vars(Plain)),
    )
    quick, slow = made(dataclass, body, **options), made(dataclasses.dataclass, body, **options)
    assert str(inspect.signature(quick)) == str(inspect.signature(slow))
    named = {"second": "b", "first": 1.0, "fourth": "d"}
    assert repr(quick(**named)) == repr(slow(**named)) == "Plain(first=1.0, second='b', third=3, fourth='d')"
    assert len(seen) == 2 * is_checked
    told = []
    for kind in (quick, slow):
        for wrong in ({"first": 1.0}, {**named, "fifth": 5}):
            with pytest.raises(TypeError) as caught:
                kind(**wrong)
            told.append(str(caught.value).rpartition(".")[2])
    assert told[:2] == told[2:]


def test_a_field_without_a_default_does_not_follow_one_with_it():
    with pytest.raises((TypeError, SyntaxError), match="non-default argument"):
        dataclass(frozen=True)(type("A", (), {"__annotations__": {"x": "int", "y": "int"}, "x": 1}))


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_values_are_compared_and_hashed_as_by_the_library(options):
    for kind in (made(dataclass, **options), made(dataclasses.dataclass, **options)):
        a, b, c = kind(first=1.0, third=()), kind(first=1.0, third=(), sixth=2.0), kind(first=2.0, third=())
        is_compared = options.get("eq", True)
        assert (a == b) is is_compared
        assert (hash(a) == hash(b)) is is_compared
        assert a != c
        assert a != (1.0, None, ())


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_values_cannot_be_changed_but_copied_and_replaced(options):
    kind = made(dataclass, **options)
    value = kind(first=1.0)
    with pytest.raises(dataclasses.FrozenInstanceError, match="cannot assign to field 'first'"):
        value.first = 2.0
    with pytest.raises(dataclasses.FrozenInstanceError, match="cannot delete field 'first'"):
        del value.first
    with pytest.raises(dataclasses.FrozenInstanceError):
        value.other = 2.0
    assert replace(value, first=3.0).first == 3.0
    assert repr(copy.deepcopy(value)) == repr(copy.copy(value)) == repr(value)
    with pytest.raises(ValueError, match="negative"):
        kind(first=-1.0)
    with pytest.raises(TypeError, match="missing 1 required"):
        kind()


@dataclass(frozen=True, slots=True)
class Slotted:
    """A value with slots, which pickle finds."""

    x: float
    y: "Slotted | None" = None


@dataclass(frozen=True)
class Kept:
    """A value whose own methods stay."""

    x: float

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Kept) and round(self.x) == round(other.x)

    def __hash__(self) -> int:
        return round(self.x)

    def __repr__(self) -> str:
        return "kept"


@dataclass(frozen=True)
class Single:  # noqa: PLW1641  the decorator gives it one
    """A value of one field and of an `__eq__` that Python pairs with no hash."""

    x: float

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Single) and self.x == other.x


def test_slots_are_pickled():
    value = Slotted(1.0, Slotted(2.0))
    assert pickle.loads(pickle.dumps(value)) == value
    assert not hasattr(value, "__dict__")


def test_own_methods_stay():
    assert Kept(1.1) == Kept(0.9)
    assert len({Kept(1.1), Kept(0.9)}) == 1
    assert repr(Kept(1.0)) == "kept"
    assert hash(Single(1.0)) == hash((1.0,)) == hash(dataclasses.make_dataclass("S", ["x"], frozen=True)(1.0))


def test_what_contains_itself_is_written():
    outer = Slotted(1.0)
    object.__setattr__(outer, "y", outer)
    assert repr(outer) == "Slotted(x=1.0, y=...)"


def test_a_frozen_class_of_either_decorator_is_extended_by_either():
    for above in (dataclass, dataclasses.dataclass):
        for below in (dataclass, dataclasses.dataclass):
            base = above(frozen=True)(type("Base", (), {"__annotations__": {"x": "float"}}))
            more = below(frozen=True)(type("More", (base,), {"__annotations__": {"y": "float"}}))
            assert repr(more(1.0, 2.0)) == "More(x=1.0, y=2.0)"
            assert more(1.0, 2.0) == more(1.0, 2.0) != base(1.0)
            with pytest.raises(TypeError, match="cannot inherit non-frozen"):
                dataclasses.dataclass(type("Open", (base,), {}))


def test_a_plain_subclass_takes_more_attributes():
    class Named(Kept):
        pass

    value = Named(1.0)
    value.name = "one"
    assert value.name == "one"
    del value.name
    with pytest.raises(dataclasses.FrozenInstanceError):
        value.x = 2.0
