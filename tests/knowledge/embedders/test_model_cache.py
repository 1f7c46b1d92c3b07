from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import openvino
import pytest
from openvino import opset13

from knowledge.embedders import model_cache
from knowledge.embedders.model_cache import ModelCache

HINTS = {"INFERENCE_PRECISION_HINT": "f32", "NUM_STREAMS": "1"}


class Doubling:
    """A graph that doubles, and how often it was built."""

    def __init__(self) -> None:
        self.built = 0

    def __call__(self):
        self.built += 1
        given = opset13.parameter([-1], np.float32)
        return openvino.Model([opset13.result(opset13.multiply(given, np.float32(2)))], [given])


@pytest.fixture
def weights(tmp_path):
    path = tmp_path / "weights"
    path.write_bytes(b"w" * 100)
    return path


@pytest.fixture
def cache(tmp_path, weights):
    return ModelCache(folder=tmp_path / "models", name="doubling", sources=(weights,))


def load(cache, build, **hints):
    network = cache.load(openvino.Core(), build, {**HINTS, **hints})
    np.testing.assert_array_equal(network([np.array([1, 2], np.float32)])[0], [2, 4])


def test_a_model_is_built_once_and_read_afterwards(cache):
    build = Doubling()
    load(cache, build)
    load(cache, build)
    assert build.built == 1
    assert [path.suffix for path in cache.folder.iterdir()] == [".blob"]


def test_a_kept_model_reads_its_weights_from_the_file(cache):
    load(cache, Doubling())
    (path,) = cache.folder.iterdir()
    assert str(path) not in Path("/proc/self/maps").read_text()
    load(cache, Doubling())
    assert str(path) in Path("/proc/self/maps").read_text()


def test_other_weights_are_compiled_anew(cache, weights):
    build = Doubling()
    load(cache, build)
    weights.write_bytes(b"v" * 100)
    load(cache, build)
    assert build.built == 2


def test_other_settings_are_compiled_anew(cache):
    build = Doubling()
    load(cache, build)
    load(cache, build, NUM_STREAMS="2")
    assert build.built == 2


@pytest.mark.parametrize("content", [b"", b"nothing that OpenVINO wrote", None])
def test_a_damaged_file_is_replaced(cache, content):
    build = Doubling()
    load(cache, build)
    (path,) = cache.folder.iterdir()
    path.write_bytes(path.read_bytes()[:200] if content is None else content)
    load(cache, build)
    load(cache, build)
    assert build.built == 2


def test_a_file_with_a_few_wrong_bytes_is_replaced(cache):
    build = Doubling()
    load(cache, build)
    (path,) = cache.folder.iterdir()
    whole = path.read_bytes()
    places = range(0, len(whole), 1 + len(whole) // 20)
    for at in places:
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :])
        load(cache, build)
    assert build.built == 1 + len(places)


def test_what_a_killed_process_left_unfinished_is_removed_and_that_of_a_live_one_is_not(cache):
    cache.folder.mkdir()
    old, new = cache.folder / "doubling-a.1.part", cache.folder / "doubling-a.2.part"
    for path in (old, new):
        path.write_bytes(b"half")
    os.utime(old, (1000, 1000))
    load(cache, Doubling())
    assert not old.exists()
    assert new.exists()


def test_only_the_newest_files_are_kept(cache, monkeypatch):
    monkeypatch.setattr(model_cache, "KEPT_FILES", 2)
    cache.folder.mkdir()
    for age, name in enumerate(("doubling-a", "doubling-b", "other-a")):
        (cache.folder / f"{name}.blob").write_bytes(b"")
        os.utime(cache.folder / f"{name}.blob", (1000 - age, 1000 - age))
    load(cache, Doubling())
    assert {path.stem for path in cache.folder.iterdir()} >= {"doubling-a", "other-a"}
    assert not (cache.folder / "doubling-b.blob").exists()


def test_a_folder_that_cannot_be_written_to_is_done_without(tmp_path, weights):
    (tmp_path / "models").write_text("not a folder")
    build = Doubling()
    load(ModelCache(folder=tmp_path / "models", name="doubling", sources=(weights,)), build)
    assert build.built == 1
