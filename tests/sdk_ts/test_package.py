"""The TypeScript package as npm packs it: its own tests, what is in it, and its lock."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import tarfile
from pathlib import Path

import pytest

from supply_chain.licences import is_allowed
from tests.client_packages import run
from tests.prepared import ROOT
from tests.sdk_ts.package import SDK, built, development_packages

MANIFEST = json.loads((SDK / "package.json").read_text())


@pytest.mark.long
def test_its_own_tests_pass() -> None:
    folder = built()
    done = subprocess.run(
        ["node", "--test", "build/tests/"], cwd=folder, capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stdout[-3000:]
    counted = re.search(r"^# pass (\d+)$", done.stdout, re.MULTILINE)
    assert counted
    assert int(counted[1]) > 50


@pytest.mark.long
def test_npm_packs_the_compiled_modules_their_types_the_readme_and_the_licence_alone() -> None:
    (packed,) = built().glob("*.tgz")
    with tarfile.open(packed) as archive:
        names = {name.removeprefix("package/") for name in archive.getnames()}
    modules = {path.stem for path in (SDK / "src").glob("*.ts")}
    assert names == {"package.json", "README.md", "LICENSE"} | {
        f"dist/{name}.{ending}" for name in modules for ending in ("js", "d.ts")
    }


@pytest.mark.long
def test_every_entry_is_imported_from_the_packed_files_and_the_first_needs_no_other_package() -> None:
    folder = built()
    entries = [target["default"] for target in MANIFEST["exports"].values() if isinstance(target, dict)]
    program = f"for (const one of {json.dumps(entries)}) console.log(Object.keys(await import(one)).length > 0)"
    assert run("node", "--input-type=module", "-e", program, cwd=folder).split() == ["true"] * 4
    for module in (folder / "dist").glob("*.js"):
        imported = set(re.findall(r'from "([^"]+)"', module.read_text()))
        foreign = {name for name in imported if not name.startswith("./")}
        assert module.name == "langchain.js" or foreign == set(), module.name


@pytest.mark.long
def test_the_install_command_of_the_readme_works_in_an_empty_folder(tmp_path: Path) -> None:
    development_packages()  # or it is skipped, where npm reaches no packages
    clone, project = tmp_path / "lexic", tmp_path / "project"
    copy = shutil.copytree(SDK, clone / "sdk-ts", ignore=shutil.ignore_patterns("node_modules", "dist", "build"))
    (install,) = re.findall(r"```bash\n(npm .*?)```", (copy / "README.md").read_text(), re.DOTALL)
    project.mkdir()
    run("bash", "-euc", install.replace("~/lexic", str(clone)), cwd=project)
    program = 'import { Lexic } from "lexic-sdk"; console.log(new Lexic({ apiKey: "lx_a" }).baseUrl)'
    assert run("node", "--input-type=module", "-e", program, cwd=project).startswith("http://127.0.0.1:8000")


def test_it_has_no_dependencies_and_its_versions_agree() -> None:
    lock = json.loads((SDK / "package-lock.json").read_text())
    assert "dependencies" not in MANIFEST
    assert all(one["optional"] for one in MANIFEST["peerDependenciesMeta"].values())
    assert MANIFEST["peerDependencies"].keys() == MANIFEST["peerDependenciesMeta"].keys()
    assert lock["version"] == MANIFEST["version"]
    assert f'VERSION = "{MANIFEST["version"]}"' in (SDK / "src" / "version.ts").read_text()
    assert (SDK / "LICENSE").read_text() == (ROOT / "LICENSE").read_text()


def test_its_lock_names_no_registry_and_only_licences_that_are_allowed() -> None:
    lock = json.loads((SDK / "package-lock.json").read_text())
    packages = {name: one for name, one in lock["packages"].items() if name}
    assert packages
    assert all(one["dev"] or one.get("peer") for one in packages.values())
    assert [name for name, one in packages.items() if "resolved" in one] == []
    assert [name for name, one in packages.items() if not one["integrity"].startswith("sha512-")] == []
    assert [name for name, one in packages.items() if not is_allowed(one["license"])] == []
