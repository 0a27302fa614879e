"""How the dialects of SQL write what the counting query needs: types, names, texts and a few functions."""

from __future__ import annotations

from thresher.dataclass import dataclass
from thresher.errors import OptionError
from thresher.nearest import did_you_mean


@dataclass(frozen=True)
class Dialect:
    """Words of one dialect; `{}` in `is_nan` and `power` is where the value stands."""

    number: str = "DOUBLE"
    text: str = "VARCHAR"
    is_nan: str = "isnan({})"
    power: str = "POWER(2, {})"
    logarithm: str = "LN"
    ceiling: str = "CEIL"
    quotes: str = '""'
    small: str = ""
    """What follows SELECT to say that a joined table, which stands for `{}`, is small."""

    join: str = "JOIN"
    """How rows are joined with the widths of bins, of which each has its own, and none is left over."""

    fence: str = ""
    """What ends a subquery that is not to be mixed with the query around it."""

    group: str = "{}"
    """How a value of a group, where `{}` is, goes into the result."""

    backslash: bool = False
    """Whether a backslash in a text has a meaning, which two of them have not."""

    doubled: bool = True
    """Whether a quotation mark in a text is written twice; else it stands after a backslash."""

    def name(self, name: str) -> str:
        """Name of a column."""
        opens, closes = self.quotes[0], self.quotes[1]
        return f"{opens}{name.replace(closes, closes * 2)}{closes}"

    def literal(self, text: str) -> str:
        """A text, whatever it holds."""
        text = text.replace("\\", "\\\\") if self.backslash else text
        return "'" + text.replace("'", "''" if self.doubled else "\\'") + "'"


_C_TEXTS = {"quotes": "``", "backslash": True, "doubled": False}

DIALECTS = {
    "bigquery": Dialect(number="FLOAT64", text="STRING", is_nan="IS_NAN({})", **_C_TEXTS),  # type: ignore[arg-type]
    "clickhouse": Dialect(
        number="Nullable(Float64)", text="Nullable(String)", is_nan="isNaN({})", logarithm="log", backslash=True
    ),
    "duckdb": Dialect(),
    "postgres": Dialect(
        number="DOUBLE PRECISION", text="TEXT", is_nan="{} = CAST('NaN' AS DOUBLE PRECISION)",
        power="POWER(CAST(2 AS DOUBLE PRECISION), {})",
        # It takes the rows to be few, and would compare each with each: a full join is always hashed or sorted.
        join="FULL JOIN", fence=" OFFSET 0", group="CAST({} AS TEXT)",  # or psql writes t and f
    ),
    "snowflake": Dialect(is_nan="{} = CAST('NaN' AS DOUBLE)", backslash=True),
    "spark": Dialect(text="STRING", small=" /*+ BROADCAST({}) */", **_C_TEXTS),  # type: ignore[arg-type]
    "tsql": Dialect(
        number="FLOAT", text="NVARCHAR(4000)", is_nan="1 = 0", power="POWER(CAST(2 AS FLOAT), {})", logarithm="LOG",
        ceiling="CEILING", quotes="[]",
    ),
}  # fmt: skip


def dialect_of(name: str) -> Dialect:
    """Dialect by its name.

    Raises:
        OptionError: there is none of this name.
    """
    if name not in DIALECTS:
        raise OptionError(
            f"there is no dialect {name!r}.{did_you_mean(name, list(DIALECTS))} There are {', '.join(DIALECTS)}."
        )
    return DIALECTS[name]
