"""The parts of the description that are data: `operations.yaml`, `components.yaml` and `examples.yaml`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml


def read_yaml(name: str) -> Any:
    """The content of one of these files."""
    return yaml.safe_load((Path(__file__).parent / f"{name}.yaml").read_text(encoding="utf-8"))
