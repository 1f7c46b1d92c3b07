"""OpenVINO, without its converter of models: half of what the library loads, and nothing here converts a model."""

from __future__ import annotations

import sys
from typing import Any

_CONVERTER = "openvino.tools.ovc"


def import_openvino() -> Any:
    """The module. Whoever imports the converter by itself later still gets it."""
    if "openvino" not in sys.modules:
        # Python imports nothing whose name has None here, and OpenVINO takes the converter for not installed.
        sys.modules[_CONVERTER] = None  # type: ignore[assignment]
    try:
        import openvino  # slow import, and another thread that has begun it is waited for
    finally:
        if _CONVERTER in sys.modules and sys.modules[_CONVERTER] is None:
            sys.modules.pop(_CONVERTER, None)
    return openvino
