"""The TypeScript package: built with its lock, packed, and put where a program finds it. Skipped without npm."""

from __future__ import annotations

import hashlib
import shutil
import tarfile
from pathlib import Path

from tests import prepared
from tests.client_packages import installed, made_once, npm_installed, run

SDK = prepared.ROOT / "sdk-ts"
_NOT_SOURCE = shutil.ignore_patterns("node_modules", "dist", "build", "*.tgz")
# What the programs of these tests are made with, in their newest versions.
CONSUMER = (
    "ai@7.0.173",
    "@ai-sdk/openai@4.0.118",
    "@langchain/core@1.4.0",
    "zod@4.6.7",
    "typescript@5.9.3",
    "@types/node@20.19.43",
)


def development_packages() -> Path:
    """The `node_modules` of the package's lock."""
    lock = (SDK / "package-lock.json").read_text() + (SDK / "package.json").read_text()
    copy: list[str | Path] = ["cp", SDK / "package.json", SDK / "package-lock.json", "."]
    npm: list[str | Path] = ["npm", "ci", "--no-audit", "--no-fund", "--ignore-scripts", "--prefer-offline"]
    wanted = (hashlib.sha256(lock.encode()).hexdigest(),)
    return installed("sdk-ts-development", wanted, copy, npm) / "node_modules"


def built() -> Path:
    """A copy of the package, compiled (`dist`, and `build` with its tests) and packed (`lexic-sdk-….tgz`)."""
    modules = development_packages()

    def make(folder: Path) -> None:
        shutil.copytree(SDK, folder, ignore=_NOT_SOURCE, dirs_exist_ok=True)
        (folder / "node_modules").symlink_to(modules)
        run("npm", "run", "--silent", "build", cwd=folder)
        run("npm", "pack", "--ignore-scripts", "--silent", cwd=folder)
        run(modules / ".bin" / "tsc", "-p", "tests/tsconfig.json", cwd=folder)

    return made_once("sdk-ts-built", make, *_sources())


def program(name: str, config: str) -> Path:
    """A program in TypeScript that uses the packed package, checked and compiled: a file that Node runs."""
    package, modules = built(), npm_installed("sdk-ts-consumer", CONSUMER)
    text = (Path(__file__).parent / f"{name}.ts").read_text()

    def make(folder: Path) -> None:
        (folder / "package.json").write_text('{"type": "module"}')
        (folder / "tsconfig.json").write_text(config)
        (folder / f"{name}.ts").write_text(text)
        install(package, modules, folder / "node_modules")
        run(modules / ".bin" / "tsc", "-p", ".", cwd=folder)

    return made_once(f"sdk-ts-{name.replace('_', '-')}", make, text, config, *CONSUMER, *_sources()) / f"{name}.js"


def install(package: Path, modules: Path, target: Path) -> None:
    """The packed package, beside links to the others: what `npm install lexic-sdk-….tgz` does."""
    target.mkdir()
    for one in modules.iterdir():
        (target / one.name).symlink_to(one)
    (packed,) = package.glob("lexic-sdk-*.tgz")
    with tarfile.open(packed) as archive:
        archive.extractall(target, filter="data")
    (target / "package").rename(target / "lexic-sdk")


def _sources() -> list[str]:
    files = [path for path in sorted(SDK.rglob("*")) if path.is_file()]
    left_out = {"node_modules", "dist", "build"}
    kept = [path for path in files if left_out.isdisjoint(path.relative_to(SDK).parts)]
    return [f"{path.relative_to(SDK)}\n{path.read_text()}" for path in kept if path.suffix != ".tgz"]
