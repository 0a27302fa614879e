"""TREC lines, codes of texts, look-up and order of lists: every implementation against plain Python."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kernel import brute
from thresher.kernel import ranked
from thresher.kernel.reference.ranked import text_column
from thresher.kernel.values import ListArrays, TextColumn, WantedArrays

both = pytest.mark.parametrize("use", brute.IMPLEMENTATIONS, ids=brute.NAMES)
WORDS = st.text("abé1-", min_size=1, max_size=12).map(str.encode)
BLANKS = st.sampled_from([" ", "\t", "  ", " \t"])


def texts(column: TextColumn) -> list[bytes]:
    return [column.text(i).encode() for i in range(len(column))]


@both
@given(rows=st.lists(st.tuples(WORDS, WORDS, st.floats(allow_nan=False), BLANKS), min_size=1, max_size=20),
       breaks=st.lists(st.sampled_from([b"", b"# note", b"   "]), max_size=3), end=st.booleans())  # fmt: skip
def test_results_are_read_as_they_were_written(use, rows, breaks, end):
    lines = [
        blank.encode().join([query, b"Q0", document, b"1", repr(score).encode(), b"tag"])
        for query, document, score, blank in rows
    ]
    data = b"\n".join([*breaks, *lines]) + (b"\n" if end else b"")
    with brute.using(use):
        found = ranked.trec_lines(data, "results")
    assert texts(found.documents) == [document for _, document, _, _ in rows]
    assert found.bad is None
    assert found.tag == b"tag"
    assert len(found.unread) == 0
    assert found.numbers.tolist() == [score for _, _, score, _ in rows]
    lengths = np.diff(found.query_rows, append=len(rows))
    assert np.repeat(np.array(texts(found.queries), dtype=object), lengths).tolist() == [row[0] for row in rows]


@both
def test_places_are_three_fields(use):
    with brute.using(use):
        found = ranked.trec_lines(b"q d1 1\nq\td2\t2\n# no row\np d1 7\n", "places")
        other = ranked.trec_lines(b"q d1 1\nq d2 2 3\n", "places")
    assert (texts(found.queries), texts(found.documents)) == ([b"q", b"p"], [b"d1", b"d2", b"d1"])
    assert (found.numbers.tolist(), found.bad, found.tag) == ([1, 2, 7], None, b"")
    assert other.bad == (7, 4)


@both
@pytest.mark.parametrize(
    "text", ["0", "-0.0", "7.", ".5", "+2.5", "1e3", "9007199254740993", "0.1234567890123456789", "1e-320",
             "1e400", "123456789012345678", "0.000000000000000001",
             "-1.7976931348623157e308", "3.14159265358979", "inf", "-inf"],
)  # fmt: skip
def test_numbers_are_pythons(use, text):
    with brute.using(use):
        found = ranked.trec_lines(f"q 0 d 1 {text} t".encode(), "results")
    if len(found.unread):  # left to the caller, which reads them as Python does
        row, at, size = found.unread[0]
        assert (row, f"q 0 d 1 {text} t"[at : at + size]) == (0, text)
    else:
        value = found.numbers[0]
        assert value == float(text)
        assert math.copysign(1, value) == math.copysign(1, float(text))


@both
@pytest.mark.parametrize("text", ["abc", "1_000", "1,5", "--1", "+-1", "+", "1e", "0x"])
def test_what_is_no_number_is_left_to_the_caller(use, text):
    line = f"q1 Q0 d 3\nq2 Q0 d {text}\n".encode()
    with brute.using(use):
        found = ranked.trec_lines(line, "judgements")
    row, at, size = found.unread[0].tolist()
    assert (row, line[at : at + size].decode()) == (1, text)
    assert found.numbers[0] == 3


@both
@pytest.mark.parametrize(("form", "line", "fields"), [
    ("judgements", b"q 0 d", 3), ("judgements", b"q 0 d 1 x", 5), ("results", b"q Q0 d 1 0.5", 5), ("results", b"q", 1),
])  # fmt: skip
def test_the_first_line_of_a_wrong_shape_is_told(use, form, line, fields):
    good = b"q 0 d 1\n" if form == "judgements" else b"q Q0 d 1 0.5 tag more words\n"
    with brute.using(use):
        found = ranked.trec_lines(good + b"\n  " + line + b"\n" + good, form)
    assert found.bad == (len(good) + 3, fields)
    assert found.numbers.size == 1


@both
@given(st.lists(WORDS | st.sampled_from([b"", b"a", b"abcdefgh", b"abcdefghi"]), max_size=60))
def test_codes_are_in_order_of_appearance(use, words):
    with brute.using(use):
        codes, firsts = ranked.text_codes(text_column(words))
    distinct = list(dict.fromkeys(words))
    assert codes.tolist() == [distinct.index(word) for word in words]
    assert firsts.tolist() == [words.index(word) for word in distinct]


@both
@given(st.lists(st.text("abé", max_size=5), max_size=60))
def test_codes_of_fixed_width_texts_are_those_of_the_texts(use, words):
    for given_ in (np.array(words, dtype="U5"), np.array(words, dtype=">U7")[::-1]):
        with brute.using(use):
            codes, firsts = ranked.fixed_codes(given_)
            want_codes, want_firsts = ranked.text_codes(ranked.fixed_texts(given_))
        assert codes.tolist() == want_codes.tolist()
        assert firsts.tolist() == want_firsts.tolist()


@both
def test_no_texts_of_fixed_width_have_no_bytes_whatever_memory_held(use):
    with brute.using(use):
        for size in range(200):
            del_ = [np.full(1 + size % 5, 7) for _ in range(20)]
            del del_
            assert ranked.fixed_texts(np.array([], dtype="U5")).offsets.tolist() == [0]


@both
def test_codes_of_very_many_texts(use):
    values = np.random.default_rng(0).permutation(np.repeat(np.arange(5_000), 2))
    with brute.using(use):
        column = ranked.number_texts(values)
        codes, firsts = ranked.text_codes(column)
    assert np.array_equal(values[firsts][codes], values)
    assert firsts.size == 5_000


@both
@given(st.lists(st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=9)))
def test_fixed_width_texts(use, words):
    with brute.using(use):
        found = ranked.fixed_texts(np.array(words, dtype="U9"))
        assert texts_of(found) == words
        assert texts_of(ranked.fixed_texts(np.array(words, dtype=">U9")[::-1])) == words[::-1]


@both
@pytest.mark.parametrize("threads", [1, 2, 3, 7])
def test_fixed_width_texts_of_any_width_and_many_threads(use, threads):
    rng = np.random.default_rng(threads)
    for width in (1, 3, 7, 8, 9, 16, 21, 40):
        words = ["".join(rng.choice(list("ab1-"), rng.integers(0, width + 1))) for _ in range(500)]
        for more in ("", "é" * width, "a\0b"[:width]):
            given = np.array([*words, more], dtype=f"U{width}")
            with brute.using(use):
                assert texts_of(ranked.fixed_texts(given, threads=threads)) == given.tolist()


@given(words=st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=9), min_size=1))
def test_texts_between_separators(words):
    found = TextColumn.of_joined("\0".join(words).encode(), b"\0")
    assert texts_of(found) == "\0".join(words).split("\0")


@both
@pytest.mark.parametrize(("data", "ends"), [
    (b"", 0), (b"\n", 1), (b"q 0 d 1", 0), (b"q 0 d 1\n", 1), (b"\n# x\n\nq 0 d 1\n  ", 4),
    (b"q 0 d 1\nq 0 d\nq 0 d 1\n", 2), (b"q 0 d 1\nq 0 d", 1),
])  # fmt: skip
def test_ends_of_lines_are_counted_up_to_a_bad_one(use, data, ends):
    with brute.using(use):
        assert ranked.trec_lines(data, "judgements").lines == ends


@both
def test_a_block_of_the_shortest_lines_has_room(use):
    with brute.using(use):
        found = ranked.trec_lines(b"q 0 d x\n" * 999 + b"q 0 d x", "judgements")
    assert (found.numbers.size, len(found.unread)) == (1000, 1000)


def texts_of(column: TextColumn) -> list[str]:
    return column.texts(np.arange(len(column)))


@both
def test_whole_numbers_as_text(use):
    values = [0, -1, 10, -(2**63), 2**63 - 1]
    with brute.using(use):
        assert texts(ranked.number_texts(values)) == [str(value).encode() for value in values]


ROWS = st.lists(
    st.tuples(st.integers(0, 3), st.sampled_from([b"a", b"b", b"ab", b"c", "é".encode(), b""])), max_size=25
)


@both
@given(run=ROWS, judged=ROWS, data=st.data())
def test_look_up_is_a_join(use, run, judged, data):
    judged = list(dict.fromkeys(judged))
    run = list(dict.fromkeys(run))
    rel = [data.draw(st.integers(-3, 4)) for _ in judged]
    with brute.using(use):
        found = ranked.look_up(
            [q for q, _ in run], text_column([d for _, d in run]), [q for q, _ in judged],
            text_column([d for _, d in judged]), rel, 4,
        )  # fmt: skip
    known = dict(zip(judged, rel, strict=True))
    assert found.repeated is None
    assert found.found.tolist() == [max(-2, known[key]) if known.get(key, 0) >= 0 and key in known
                                    else -2 if key in known else -1 for key in run]  # fmt: skip


@both
@given(run=ROWS, judged=ROWS)
def test_the_earliest_repetition_is_told_judgements_first(use, run, judged):
    want = None
    for kind, rows in (("judged", judged), ("listed", run)):
        twice = [i for i, key in enumerate(rows) if key in rows[:i]]
        if twice and want is None:
            want = (kind, twice[0], rows.index(rows[twice[0]]))
    for threads in (1, 3):
        with brute.using(use):
            found = ranked.look_up(
                [q for q, _ in run], text_column([d for _, d in run]), [q for q, _ in judged],
                text_column([d for _, d in judged]), [1] * len(judged), 4, threads=threads,
            )  # fmt: skip
        assert found.repeated == want


@both
@given(rows=st.lists(st.tuples(st.integers(0, 2), WORDS, brute.SCORES | st.sampled_from([1.0, 1.0 + 1e-9, 2.0])),
                     max_size=25), single=st.booleans(), named=st.booleans())  # fmt: skip
def test_lists_fall_by_score_then_by_document(use, rows, single, named):
    rows = list({(q, d): (q, d, s) for q, d, s in rows}.values())
    codes, documents, scores = ([row[i] for row in rows] for i in range(3))
    with brute.using(use):
        found = ranked.rank_lists(
            codes, text_column(documents) if named else None, np.array(scores, dtype=float), np.arange(len(rows)), 3,
            single=single,
        )  # fmt: skip
    with np.errstate(over="ignore"):
        compared = [float(np.float32(s)) if single else s for s in scores]
    for q in range(3):
        mine = [i for i, code in enumerate(codes) if code == q]
        if named:
            mine.sort(key=lambda i: documents[i], reverse=True)
        mine.sort(key=lambda i: -compared[i])
        here = slice(found.starts[q], found.starts[q + 1])
        assert found.ranked[here].tolist() == mine
        same = [k > 0 and compared[mine[k]] == compared[mine[k - 1]] for k in range(len(mine))]
        assert found.tied[here].tolist() == same


@both
def test_addresses_out_of_range_never_reach_the_library(use):
    ok = text_column([b"a"])
    with brute.using(use):
        with pytest.raises(ValueError, match="query code"):
            ranked.rank_lists([1], ok, [0.5], [1], 1, single=False)
        with pytest.raises(ValueError, match="documents"):
            ranked.rank_lists([0, 0], ok, [0.5, 0.5], [1, 1], 1, single=False)
        with pytest.raises(ValueError, match="offsets"):
            ranked.text_codes(TextColumn(np.zeros(1, np.uint8), np.array([0, 2])))
        with pytest.raises(ValueError, match="NaN"):
            ranked.rank_lists([0], ok, [np.nan], [1], 1, single=False)


@both
def test_more_rows_than_can_be_counted_are_refused_before_they_are_copied(use):
    many = np.broadcast_to(np.int32(0), (2**31,))
    with brute.using(use):
        with pytest.raises(ValueError, match="at most 2,147,483,647 rows"):
            ranked.rank_lists(many, None, np.broadcast_to(0.0, many.shape), many, 1, single=True)
        lists = ListArrays(np.array([0, 1]), np.array([1], np.int32), np.array([False]))
        wanted = WantedArrays(*(np.array([0], t) for t in (np.int32, np.int32, np.int64, np.float64)), np.zeros((1, 2)))
        with pytest.raises(ValueError, match="level 4294967297"):
            ranked.ranked_measures(lists, [0, 1], [1], wanted, level=2**32 + 1)


@both
def test_minus_zero_is_zero_and_what_overflows_32_bits_ties(use):
    with brute.using(use):
        for scores, single, tied in (
            ([0.0, -0.0], False, True), ([0.0, -0.0], True, True), ([1e300, 1e301], True, True),
            ([1e300, 1e301], False, False), ([np.inf, 1e301], True, True), ([np.inf, 1e301], False, False),
            ([1e-60, 0.0], True, True),
        ):  # fmt: skip
            found = ranked.rank_lists([0, 0], text_column([b"a", b"b"]), scores, [1, 2], 1, single=single)
            assert found.tied.tolist() == [False, tied]
            assert found.ranked.tolist() == ([2, 1] if tied or scores[1] > scores[0] else [1, 2])


@both
def test_queries_without_rows_and_no_rows_at_all(use):
    none = text_column([])
    with brute.using(use):
        found = ranked.rank_lists([2, 2], text_column([b"a", b"b"]), [1.0, 2.0], [0, 1], 4, single=True)
        assert found.starts.tolist() == [0, 0, 0, 2, 2]
        empty = ranked.rank_lists([], none, [], [], 2, single=True)
        assert (empty.starts.tolist(), empty.ranked.size) == ([0, 0, 0], 0)
        looked = ranked.look_up([], none, [], none, [], 0)
        assert (looked.found.size, looked.repeated) == (0, None)
        assert ranked.trec_lines(b"", "results").numbers.size == 0
        assert [part.size for part in ranked.text_codes(none)] == [0, 0]
