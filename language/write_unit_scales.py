"""Writes `unit_scales.json`, what pint says of each unit that Lexic reads: `python -m language.write_unit_scales`."""

from __future__ import annotations

import json
from typing import Any

from language.unit_scales import UNIT_SCALES_FILE, UnitScale, scale_by_pint
from language.units import UNIT_NAMES


def scales_by_name() -> dict[str, Any]:
    """What the file holds; None for what pint cannot read."""
    return {name: _as_json(scale_by_pint(name)) for name in sorted(UNIT_NAMES)}


def _as_json(scale: UnitScale | None) -> dict[str, Any] | None:
    if scale is None:
        return None
    dimension = {name: int(exponent) for name, exponent in sorted(scale.dimension)}
    return {"dimension": dimension, "factor": str(scale.factor), "offset": str(scale.offset)}


if __name__ == "__main__":
    lines = (f"  {json.dumps(name)}: {json.dumps(scale)}" for name, scale in scales_by_name().items())
    UNIT_SCALES_FILE.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
