"""The package, installed into an environment that has nothing else, and the README's quickstart pasted there."""

from __future__ import annotations

import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import httpx
import pytest

from plugins.models import Plugin
from tests.sdk.pages import SDK, blocks, quickstart

# What httpx consists of.
CLOSURE = ("httpx", "httpcore", "h11", "anyio", "idna", "certifi", "typing_extensions.py")

CHECK = """
import importlib.util, lexic_sdk
assert "site-packages" in lexic_sdk.__file__, lexic_sdk.__file__
assert not importlib.util.find_spec("django")
print("installed", lexic_sdk.__version__)
"""


def run(*command: str | Path, **environment: str) -> subprocess.CompletedProcess[str]:
    given = {"PATH": "/usr/bin:/bin", "PIP_DISABLE_PIP_VERSION_CHECK": "1", **environment}
    return subprocess.run(command, env=given, capture_output=True, text=True, timeout=300, check=False)


def pip(*arguments: str | Path, python: Path | str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [python, "-m", "pip", "--no-input", *arguments], capture_output=True, text=True, timeout=300, check=False
    )


def copy_source(folder: Path) -> Path:
    """A build leaves its traces in the folder it builds from."""
    ignored = shutil.ignore_patterns("build", "*.egg-info", "__pycache__", ".*")
    return Path(shutil.copytree(SDK, folder / "sdk", ignore=ignored))


def make_environment(folder: Path, *options: str) -> Path:
    """The Python of an empty environment."""
    done = run(sys.executable, "-m", "venv", *options, folder / "venv")
    assert done.returncode == 0, done.stderr
    return folder / "venv" / "bin" / "python"


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    options = ["--no-deps", "--no-index", "--no-build-isolation", "-w", folder]
    done = pip("wheel", *options, copy_source(folder), python=sys.executable)
    assert done.returncode == 0, done.stderr
    (wheel,) = folder.glob("lexic_sdk-*.whl")
    return wheel


def lend_httpx(python: Path) -> None:
    """From the environment of these tests, and nothing else of it."""
    lent = python.parents[1] / "lent"
    lent.mkdir()
    for name in CLOSURE:
        (lent / name).symlink_to(Path(httpx.__file__).parents[1] / name)
    (site_packages,) = python.parents[1].glob("lib/python*/site-packages")
    (site_packages / "lent.pth").write_text(str(lent))


def paste_quickstart(python: Path, *, server: str, key: str) -> None:
    Plugin.objects.update(slug="structural-engineering-concrete-cover")
    assert run(python, "-I", "-c", CHECK).stdout.startswith("installed ")
    done = run(python, "-c", quickstart(), LEXIC_BASE_URL=server, LEXIC_API_KEY=key)
    assert (done.returncode, done.stderr) == (0, "")
    assert "45 mm [Source 1]" in done.stdout


@pytest.mark.django_db(transaction=True)
def test_the_wheel_is_installed_without_a_network_and_the_quickstart_works(
    wheel: Path, tmp_path: Path, published: Plugin, server: str, key: str
):
    python = make_environment(tmp_path, "--without-pip")
    done = pip("--python", python, "install", "--no-deps", "--no-index", wheel, python=sys.executable)
    assert done.returncode == 0, done.stderr
    lend_httpx(python)
    paste_quickstart(python, server=server, key=key)


@pytest.mark.django_db(transaction=True)
def test_the_readmes_install_command_works_in_an_empty_environment(
    tmp_path: Path, published: Plugin, server: str, key: str
):
    (install, _) = (code.strip() for heading, code in blocks("bash") if heading == "Install")
    assert install == "pip install ./sdk"
    python = make_environment(tmp_path)
    done = pip("install", copy_source(tmp_path), python=python)
    if done.returncode and "from versions: none" in done.stderr:
        pytest.skip("there is no package index here; the wheel is tested without one")
    assert done.returncode == 0, done.stderr
    paste_quickstart(python, server=server, key=key)


def test_the_wheel_holds_the_package_its_types_and_its_licence_and_needs_httpx_alone(wheel: Path):
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        (metadata,) = (archive.read(name).decode() for name in names if name.endswith("/METADATA"))
    assert {name.split("/")[0].partition("-")[0] for name in names} == {"lexic_sdk"}
    assert "lexic_sdk/py.typed" in names
    assert any(name.endswith("licenses/LICENSE") for name in names)
    needed = [line for line in metadata.splitlines() if line.startswith("Requires-Dist") and "extra ==" not in line]
    assert needed == ["Requires-Dist: httpx<1,>=0.27"]
    assert "Requires-Python: >=3.10" in metadata
