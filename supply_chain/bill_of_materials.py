"""The bill of materials of what users run, as CycloneDX: `python -m supply_chain.bill_of_materials FILE`.

Made of requirements.lock and of what is vendored, so one lock gives one sequence of bytes: it has no time in it, and no
random number.
"""

from __future__ import annotations

import hashlib
import json
import sys
import tomllib
import uuid
from pathlib import Path
from typing import Any

from cyclonedx.contrib.license.factories import LicenseFactory
from cyclonedx.model import HashAlgorithm, HashType
from cyclonedx.model.bom import Bom
from cyclonedx.model.component import Component, ComponentType
from cyclonedx.output.json import JsonV1Dot6
from packageurl import PackageURL

from supply_chain.locked_packages import LOCKS, ROOT, LockedPackage, read_lock


def make_bill() -> dict[str, Any]:
    """The document, as CycloneDX 1.6 has it. All packages have to be installed."""
    lock = LOCKS[0]
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    lexic = Component(name="lexic", version=project["version"], type=ComponentType.APPLICATION, bom_ref="lexic")
    bom = Bom(
        serial_number=uuid.UUID(bytes=hashlib.sha256(lock.read_bytes()).digest()[:16], version=4),
        components=[_component(package) for package in read_lock(lock)],
    )
    bom.metadata.component = lexic
    bom.register_dependency(lexic, bom.components)
    document: dict[str, Any] = json.loads(JsonV1Dot6(bom).output_as_string())
    del document["metadata"]["timestamp"]
    return document


def _component(package: LockedPackage) -> Component:
    url = PackageURL("pypi", name=package.name, version=package.version)
    return Component(
        name=package.name,
        version=package.version,
        type=ComponentType.LIBRARY,
        bom_ref=str(url),
        purl=url,
        hashes=[HashType(alg=HashAlgorithm.SHA_256, content=one) for one in package.hashes],
        licenses=[LicenseFactory().make_from_string(package.licence)] if package.licence else [],
    )


def main(path: Path) -> None:
    bill = make_bill()
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(bill, indent=1, sort_keys=True, ensure_ascii=False) + "\n")
    print(f"{len(bill['components'])} packages: {path}")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
