"""Compiled models, kept in files: reading one takes half the processor time of compiling it, and maps its weights."""

from __future__ import annotations

import contextlib
import hashlib
import os
import time
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

# Processes with other settings (threads, streams) keep files of their own.
KEPT_FILES = 4
_SAMPLE = 65_536
# What a process that was killed has left unfinished is removed after so many seconds.
_ABANDONED_AFTER = 3600
# The model, and behind it a checksum of eight bytes.
_FORMAT, _CHECKSUM_BYTES = 3, 8
# A model reads its weights from the file: it stays mapped until the process ends.
_mapped_files: list[np.memmap[Any, Any]] = []


@dataclass(frozen=True, kw_only=True)
class ModelCache:
    """`sources` are the files that decide what the graph is, its weights and the code that builds it."""

    folder: Path
    name: str
    sources: Sequence[Path]

    def load(self, core: Any, build: Callable[[], Any], hints: Mapping[str, Any]) -> Any:
        """The compiled model for this processor with these hints. Where the folder cannot be written to, it is compiled
        each time."""
        path = self.folder / f"{self.name}-{self._fingerprint(core, hints)}.blob"
        with contextlib.suppress(OSError, ValueError, RuntimeError):  # not there, cut short, or of another OpenVINO
            return _import_network(core, path, hints)
        network = core.compile_model(build(), "CPU", dict(hints))
        with contextlib.suppress(OSError, RuntimeError):
            self._write(network, path)
        return network

    def _write(self, network: Any, path: Path) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        # Processes of two containers may have the same id, and the same folder.
        unfinished = path.with_suffix(f".{uuid.uuid4().hex}.part")
        try:
            content = network.export_model().getbuffer()
            with unfinished.open("xb") as file:
                file.write(content)
                file.write(_checksum(content))
                file.flush()
                os.fsync(file.fileno())
            unfinished.rename(path)
        finally:
            unfinished.unlink(missing_ok=True)
        kept = sorted(self.folder.glob(f"{self.name}-*.blob"), key=lambda one: one.stat().st_mtime, reverse=True)
        abandoned = [one for one in self.folder.glob("*.part") if time.time() - one.stat().st_mtime > _ABANDONED_AFTER]
        for old in [*kept[KEPT_FILES:], *abandoned]:
            old.unlink(missing_ok=True)

    def _fingerprint(self, core: Any, hints: Mapping[str, Any]) -> str:
        import openvino

        processor = (core.get_property("CPU", name) for name in ("FULL_DEVICE_NAME", "OPTIMIZATION_CAPABILITIES"))
        decides = (_FORMAT, openvino.get_version(), *processor, sorted(hints.items()))
        described = hashlib.sha256(repr(decides).encode())
        for source in self.sources:
            for sample in _samples(source):
                described.update(sample)
        return described.hexdigest()[:24]


def _import_network(core: Any, path: Path, hints: Mapping[str, Any]) -> Any:
    """Raises `ValueError` where the file is not as it was written: OpenVINO takes wrong weights for right ones."""
    import openvino

    # OpenVINO shares only what it could write to; what is written to such a map is in no file.
    file = np.memmap(path, np.uint8, "c")
    content = file[:-_CHECKSUM_BYTES]
    if _checksum(content.data) != file[len(content) :].tobytes():
        raise ValueError("the file is damaged")
    _mapped_files.append(file)
    return core.import_model(openvino.Tensor(content, shared_memory=True), "CPU", dict(hints))


def _checksum(content: memoryview) -> bytes:
    """The sum of its words of 64 bits, which takes a sixth of the time of a CRC: 90 MB are read at every start, and no
    disk puts words in another order."""
    words = np.frombuffer(content, np.uint64, count=len(content) // 8)
    rest = int.from_bytes(content[words.nbytes :], "little")
    return ((int(words.sum(dtype=np.uint64)) + rest) % 2**64).to_bytes(_CHECKSUM_BYTES, "big")


def _samples(path: Path) -> Iterator[bytes]:
    """A file's size, its beginning and its end: weights that were trained anew differ everywhere."""
    size = path.stat().st_size
    yield str(size).encode()
    with path.open("rb") as file:
        yield file.read(_SAMPLE)
        file.seek(max(0, size - _SAMPLE))
        yield file.read(_SAMPLE)
