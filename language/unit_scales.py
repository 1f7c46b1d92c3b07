"""What units are worth in the base units of their dimension.

pint knows, but takes a second of the processor to load. Of the units that Lexic reads, `unit_scales.json` has what pint
says (`python -m language.write_unit_scales` writes it, and a test compares the two); pint is asked for any other.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

UNIT_SCALES_FILE = Path(__file__).with_name("unit_scales.json")
# What pint lacks. A percentage is no percentage point, and money of one kind is not money of another.
_EXTRA_DEFINITIONS = """
per_cent = [per_cent]
percentage_point = [percentage_point]
basis_point = 0.01 percentage_point
workday = [workday]
quarter_year = 3 month
US_dollar = [US_dollar]
euro = [euro]
pound_sterling = [pound_sterling]
rupee = [rupee]
yen = [yen]
swiss_franc = [swiss_franc]
canadian_dollar = [canadian_dollar]
australian_dollar = [australian_dollar]
new_zealand_dollar = [new_zealand_dollar]
singapore_dollar = [singapore_dollar]
hong_kong_dollar = [hong_kong_dollar]
chinese_yuan = [chinese_yuan]
korean_won = [korean_won]
swedish_krona = [swedish_krona]
norwegian_krone = [norwegian_krone]
danish_krone = [danish_krone]
polish_zloty = [polish_zloty]
czech_koruna = [czech_koruna]
brazilian_real = [brazilian_real]
mexican_peso = [mexican_peso]
south_african_rand = [south_african_rand]
turkish_lira = [turkish_lira]
russian_rouble = [russian_rouble]
israeli_shekel = [israeli_shekel]
part_per_million = [part_per_million]
"""
# A factor of an expression as `language.units.parse_unit` writes it: “ / millimeter**2”.
_FACTOR = re.compile(r"(?:^| (?P<operator>[*/]) )(?P<name>\w+)(?:\*\*(?P<power>-?\d))?(?= |$)")


@dataclass(frozen=True)
class UnitScale:
    """`base = number * factor + offset`, in the base units of its dimension."""

    dimension: frozenset[tuple[str, Any]]
    factor: Fraction
    offset: Fraction


@lru_cache(maxsize=1024)
def unit_scale(unit: str) -> UnitScale | None:
    """None when pint cannot read it, for then nothing can be compared with it."""
    if not unit:
        return None
    known = _known_scales()
    if unit in known:
        return known[unit]
    return _scale_of_product(unit, known) or scale_by_pint(unit)


def _scale_of_product(unit: str, known: Mapping[str, UnitScale | None]) -> UnitScale | None:
    """None for what is no product of known units, and where one of them has a zero of its own, as °C has."""
    dimension, factor, end = Counter[str](), Fraction(1), 0
    for part in _FACTOR.finditer(unit):
        scale = known.get(part["name"])
        if scale is None or scale.offset or part.start() != end:
            return None
        power = int(part["power"] or 1) * (-1 if part["operator"] == "/" else 1)
        dimension.update({name: power * exponent for name, exponent in scale.dimension})
        factor, end = factor * scale.factor**power, part.end()
    if end != len(unit):
        return None
    return UnitScale(frozenset((name, count) for name, count in dimension.items() if count), factor, Fraction(0))


@cache
def _known_scales() -> Mapping[str, UnitScale | None]:
    read = json.loads(UNIT_SCALES_FILE.read_text(encoding="utf-8"))
    return {
        name: scale
        and UnitScale(frozenset(scale["dimension"].items()), Fraction(scale["factor"]), Fraction(scale["offset"]))
        for name, scale in read.items()
    }


def scale_by_pint(unit: str) -> UnitScale | None:
    """As `unit_scale`, always asked of pint."""
    registry = _unit_registry()
    try:
        zero, one = (registry.Quantity(Fraction(value), unit).to_base_units() for value in (0, 1))
    except Exception:  # pint has many ways to say that an expression makes no sense
        return None
    return UnitScale(
        frozenset(one.dimensionality.items()),
        Fraction(one.magnitude) - Fraction(zero.magnitude),
        Fraction(zero.magnitude),
    )


@cache
def _unit_registry() -> Any:
    import pint  # slow import

    registry: Any = pint.UnitRegistry(non_int_type=Fraction)
    for line in _EXTRA_DEFINITIONS.strip().splitlines():
        registry.define(line)
    return registry
