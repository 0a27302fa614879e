"""Distinct texts of a block of bytes as 64-bit keys: the bytes themselves, or a hash that is checked byte for byte."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher.readers.codes import Block, code_few, codes_by_sorting, distinct_objects, without_blank

Bytes = NDArray[np.uint8]
Word = Callable[[int], NDArray[np.uint64]]

_WORD = 8
_KEPT = 8  # words of a text that are kept rather than gathered a second time
_ONE, _EIGHT = np.uint64(1), np.uint64(8)
_MASKS = np.array([2 ** (8 * size) - 1 for size in range(_WORD + 1)], dtype=np.uint64)
_ODD = np.uint64(0x9E3779B97F4A7C15)  # 2**64 divided by the golden ratio: spreads the bits of a product


def distinct_text(lengths: NDArray[np.int64], word: Word, text: Callable[[int], str]) -> Block:
    """Block of texts of given byte lengths: `word(k)` holds bytes 8k … 8k+7 of each, `text(row)` decodes one."""
    if not len(lengths):
        return np.zeros(0, dtype=np.uint8), []
    longest = int(lengths.max())
    words = -(-longest // _WORD)
    word = functools.cache(word) if words <= _KEPT else word
    whole = longest < _WORD  # then the last byte of the first word is free for the length, and nothing is hashed
    if whole:
        keys = (word(0) if words else np.uint64(0)) | lengths.astype(np.uint64) << np.uint64(56)
    else:
        keys = _hash(lengths, word, words)
    codes, found = code_few(keys) or codes_by_sorting(keys)
    example = np.empty(len(found), dtype=np.int64)
    example[codes] = np.arange(len(codes))
    if not (whole or all(np.array_equal(c[example].take(codes), c) for c in _columns(lengths, word, words))):
        return distinct_objects([text(row) for row in range(len(lengths))])  # two texts of one hash
    return without_blank(codes, [text(row) for row in example.tolist()])


def _columns(lengths: NDArray[np.int64], word: Word, words: int) -> Iterator[NDArray[Any]]:
    yield lengths
    yield from (word(k) for k in range(words))


def _hash(lengths: NDArray[np.int64], word: Word, words: int) -> NDArray[np.uint64]:
    hashes = lengths.astype(np.uint64) * _ODD
    for k in range(words):
        mixed = (hashes ^ word(k)) * _ODD
        mixed ^= mixed >> np.uint64(29)
        hashes = np.where(lengths > k * _WORD, mixed, hashes)
    return hashes


def gather(data: Bytes, starts: NDArray[np.int64], lengths: NDArray[np.int64]) -> NDArray[np.uint64]:
    """Up to eight bytes at each start as one number, those past the length being zero.

    They lie across two aligned words, of which one is shifted down and the other up.
    """
    size = np.clip(lengths, 0, _WORD)
    starts = np.where(size > 0, starts, starts[np.argmax(size)])
    first, last = int(starts.min()) // _WORD * _WORD, int(starts.max()) + _WORD
    words = np.zeros((last - first) // _WORD + 2, dtype="<u8")
    part = data[first:last]
    words.view(np.uint8)[: len(part)] = part
    at = starts - first
    low, up = (at & 7).astype(np.uint64) * _EIGHT, at >> 3
    found = words.take(up) >> low | words.take(up + 1) << _ONE << (np.uint64(63) - low)
    return np.asarray(found & _MASKS.take(size), dtype=np.uint64)


def distinct_strings(offsets: NDArray[Any], data: Bytes, missing: NDArray[np.bool_] | None) -> Block:
    """Block of an Arrow string array: row i is `data[offsets[i]:offsets[i+1]]`; an empty text is missing."""
    starts = offsets[:-1].astype(np.int64)
    lengths = np.diff(offsets).astype(np.int64)
    if missing is not None:
        lengths = np.where(missing, 0, lengths)
    width = int(lengths[0]) if len(lengths) and (lengths == lengths[0]).all() else None

    def word(k: int) -> NDArray[np.uint64]:
        if width is None:
            return gather(data, starts + k * _WORD, lengths - k * _WORD)
        return _columns_of(data[starts[0] : starts[0] + width * len(starts)].reshape(-1, width), k)

    first = int(starts[0]) if len(starts) else 0
    content = data[first : int(offsets[-1])].tobytes()

    def text(row: int) -> str:
        start = int(starts[row]) - first
        return content[start : start + int(lengths[row])].decode()

    return distinct_text(lengths, word, text)


def _columns_of(table: Bytes, k: int) -> NDArray[np.uint64]:
    """Word k of texts that all have one length, a row each."""
    part = table[:, k * _WORD : (k + 1) * _WORD]
    words = np.zeros((len(table), _WORD), dtype=np.uint8)
    words[:, : part.shape[1]] = part
    return words.view("<u8").reshape(-1)


def distinct_views(views: Bytes, data: list[Bytes], missing: NDArray[np.bool_] | None) -> Block:
    """Block of an Arrow string-view array: 16 bytes a row, with texts of up to 12 bytes inside them."""
    parts = views.reshape(-1, 16).view("<i4")
    lengths = parts[:, 0].astype(np.int64)
    if missing is not None:
        lengths = np.where(missing, 0, lengths)
    inside = lengths <= 12
    buffer = np.where(inside, -1, parts[:, 2])
    starts = np.where(inside, np.arange(len(parts)) * 16 + 4, parts[:, 3])
    sources = [(views.reshape(-1), -1), *((source, i) for i, source in enumerate(data))]

    def word(k: int) -> NDArray[np.uint64]:
        out = np.zeros(len(lengths), dtype=np.uint64)
        for source, number in sources:
            rows = np.flatnonzero((buffer == number) & (lengths > k * _WORD))
            if len(rows):
                out[rows] = gather(source, starts[rows] + k * _WORD, lengths[rows] - k * _WORD)
        return out

    def text(row: int) -> str:
        source = views.reshape(-1) if inside[row] else data[buffer[row]]
        return source[starts[row] : starts[row] + lengths[row]].tobytes().decode()

    return distinct_text(lengths, word, text)


def distinct_fixed(array: NDArray[Any]) -> Block:
    """Block of NumPy's fixed-width text ('U'), four bytes a character, padded with zeros."""
    width = array.dtype.itemsize
    rows = np.ascontiguousarray(array)
    offsets = np.arange(len(rows) + 1, dtype=np.int64) * width
    characters = rows.view("<u4").reshape(len(rows), width // 4)
    used = np.where(characters.any(axis=1), width // 4 - np.argmax(characters[:, ::-1] != 0, axis=1), 0)
    data = characters.reshape(-1).view(np.uint8)
    starts, lengths = offsets[:-1], used.astype(np.int64) * 4

    def word(k: int) -> NDArray[np.uint64]:
        return gather(data, starts + k * _WORD, lengths - k * _WORD)

    return distinct_text(lengths, word, lambda row: str(rows[row]))
