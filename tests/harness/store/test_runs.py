"""Real runs by the command line on one database at once."""

from __future__ import annotations

import contextlib
import itertools
import random
import subprocess
import sys
from pathlib import Path

from harness.store import Store
from tests.harness.store.child import ROOT

FILE = """
name: {name}
matches: 4
parallel: 8
games: [{{game: so_long_sucker, options: {{chips: 3}}}}]
players:
  - {{label: greedy one, bot: greedy}}
  - {{label: random one, bot: random}}
  - {{label: greedy two, bot: greedy}}
  - {{label: random two, bot: random}}
"""


def parley(*arguments: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", "from harness.cli import main; main()", *arguments]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def test_four_runs_at_once_while_matches_are_voided_and_resumed(url: str, tmp_path: Path) -> None:
    names = [f"run-{number}" for number in range(4)]
    for name in names:
        (tmp_path / f"{name}.yaml").write_text(FILE.format(name=name))
    chance = random.Random(13)
    with Store.open(url) as store:
        runs = [parley("run", str(tmp_path / f"{name}.yaml"), "--db", url) for name in names]
        voided = 0
        for number in itertools.count():
            going = [run for run in runs if run.poll() is None]
            if not going:
                break
            with contextlib.suppress(subprocess.TimeoutExpired):
                going[0].wait(0.05)
            playing = [
                match.id or 0
                for run in store.runs()
                for match in store.matches(run.id or 0)
                if match.status == "running"
            ]
            if playing:
                match_id = chance.choice(playing)
                store.set_match(match_id, "void", "by hand").result()
                store.put_inbox(match_id, "red", number, "pass").result()
                store.set_match(match_id, "queued").result()
                voided += 1
        said = [run.communicate()[0] for run in runs]
        assert voided
        for name, text, run in zip(names, said, runs, strict=True):
            assert "lock" not in text
            assert run.returncode == 0, text
            found = store.run(name)
            assert found is not None
            assert (found.status, store.progress(found.id or 0)) == ("finished", {"finished": 4})
            verify = parley("verify", name, "--db", url)
            assert (verify.communicate()[0].count("equals the log's"), verify.returncode) == (1, 0)
