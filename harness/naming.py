"""How a file that was written under another name gets its own: once whole, and in another's place only if asked to."""

from __future__ import annotations

import errno
import os
from pathlib import Path

_NO_LINKS = frozenset({errno.EPERM, errno.EOPNOTSUPP, errno.ENOTSUP, errno.ENOSYS, errno.EMLINK})
"""What file systems without hard links answer, such as those of memory cards and of some shared folders."""


def give_name(partial: Path, path: Path, *, force: bool) -> None:
    """Give a whole file its name, with the permissions of any new file; its partial name may stay beside that.

    Raises:
        FileExistsError: where a file has that name already, unless `force`.
        OSError: where it cannot be given.
    """
    mask = os.umask(0)
    os.umask(mask)
    partial.chmod(0o666 & ~mask)
    if force:
        partial.replace(path)
        return
    try:
        path.hardlink_to(partial)
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise
        # Renaming would replace a file that came meanwhile: the name is taken first.
        path.touch(exist_ok=False)
        try:
            partial.replace(path)
        except BaseException:
            path.unlink()
            raise
