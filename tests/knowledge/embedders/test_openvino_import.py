from __future__ import annotations

import subprocess
import sys

from django.conf import settings

PROGRAM = """
import sys
from knowledge.embedders.openvino_import import import_openvino
openvino = import_openvino()
assert openvino is sys.modules["openvino"] is import_openvino()
assert "openvino.tools.ovc" not in sys.modules
import openvino.tools.ovc
assert openvino.tools.ovc.convert_model
"""


def test_the_converter_of_models_is_loaded_by_whoever_asks_for_it() -> None:
    subprocess.run([sys.executable, "-c", PROGRAM], cwd=settings.BASE_DIR, timeout=600, check=True)
