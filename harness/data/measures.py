"""Measures of the user's own, from a Python file: what is wrong with the file is told in one line."""

from __future__ import annotations

import traceback
from pathlib import Path

from harness.behaviour.registry import MEASURES, Measure, all_measures, from_file


class BadMeasures(ValueError):
    """Why a file of measures cannot be used, in one line that names the file."""


def user_measures(path: Path) -> list[Measure]:
    """The measures of a file. They are not added to those of the harness: a file may be read again once it is changed.

    The file is run, as any Python file is. Raises `BadMeasures`.
    """
    if not path.is_file():
        what = (
            "it is a folder" if path.is_dir() else "it is no plain file" if path.exists() else "there is no such file"
        )
        raise BadMeasures(f"{path}: {what}; a Python file with measures is wanted")
    before = dict(all_measures())
    try:
        found = from_file(path)
    except (Exception, SystemExit) as error:
        raise BadMeasures(f"{path}{_line(error, path)}: {type(error).__name__}: {_said(error)}") from error
    finally:
        for name in set(MEASURES) - set(before):
            del MEASURES[name]
    if not found:
        raise BadMeasures(
            f"{path}: it holds no measure; write a function under `@measure(…)` of harness.behaviour.registry"
        )
    return found


def _said(error: BaseException) -> str:
    told = error.msg if isinstance(error, SyntaxError) else str(error)
    return " ".join(told.split()) or "no more is said"


def _line(error: BaseException, path: Path) -> str:
    """Where in the file it went wrong, if that is known."""
    if isinstance(error, SyntaxError) and error.filename == str(path):
        return f" line {error.lineno}"
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == str(path)]
    return f" line {lines[-1]}" if lines else ""
