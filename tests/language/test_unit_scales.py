from __future__ import annotations

import json
import subprocess
import sys

import pytest
from django.conf import settings

from language.unit_scales import UNIT_SCALES_FILE, scale_by_pint, unit_scale
from language.units import UNIT_NAMES, parse_unit
from language.write_unit_scales import scales_by_name

OTHERS = ("meter", "second**2", "kilogram", "kelvin", "per_cent", "US_dollar", "degree_Celsius", "decibel")


def test_the_file_has_what_pint_says() -> None:
    """`python -m language.write_unit_scales` writes it anew."""
    assert json.loads(UNIT_SCALES_FILE.read_text(encoding="utf-8")) == scales_by_name()


@pytest.mark.parametrize("name", sorted(UNIT_NAMES))
def test_products_of_units_are_what_pint_says(name: str) -> None:
    powers = [name, f"{name}**2", f"{name}**3", f"{name}**-1", f"{name} / {name}"]
    products = [form for other in OTHERS for form in (f"{name} / {other}", f"{other} / {name}", f"{name} * {other}")]
    for unit in [*powers, *products, *(f"{one} / hour" for one in products), f"kilonewton * meter / {name}**2"]:
        assert unit_scale(unit) == scale_by_pint(unit), unit


@pytest.mark.parametrize(
    "unit", ["", "parsec", "furlong / fortnight", "meter /", "no unit", "meter + second", "meter**"]
)
def test_what_lexic_does_not_read_is_what_pint_says(unit: str) -> None:
    assert unit_scale(unit) == (scale_by_pint(unit) if unit else None)


def test_units_that_lexic_reads_need_no_pint() -> None:
    units = [parse_unit(spelling) for spelling in ("mm", "N/mm²", "kg/m^3", "sq ft", "kNm", "°C", "miles per hour")]
    program = (
        "import sys; from language.unit_scales import unit_scale; "
        "assert all(map(unit_scale, sys.argv[1:])) and 'pint' not in sys.modules"
    )
    subprocess.run(
        [sys.executable, "-c", program, *filter(None, units)], cwd=settings.BASE_DIR, timeout=600, check=True
    )
