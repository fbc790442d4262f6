"""Two processes never play one match; a process that died leaves its matches free."""

from __future__ import annotations

import os
import socket
import subprocess
import sys

import pytest

from harness.store import Store, new_owner
from harness.store.claims import is_gone
from tests.harness.store.samples import new_match


def test_one_owner_at_a_time(store: Store) -> None:
    match_id = new_match(store)
    mine, yours = new_owner(), new_owner()
    assert mine != yours
    assert store.claim_match(match_id, mine).result()
    assert not store.claim_match(match_id, yours).result()
    assert store.claim_match(match_id, mine).result()
    match = store.match(match_id)
    assert match is not None
    store.release_run(match.run_id or 0, yours).result()
    assert not store.claim_match(match_id, yours).result()
    store.release_run(match.run_id or 0, mine).result()
    assert store.claim_match(match_id, yours).result()
    assert not store.claim_match(match_id, mine).result()


def test_a_lease_runs_out(store: Store) -> None:
    match_id = new_match(store)
    assert store.claim_match(match_id, "elsewhere:1", lease_seconds=-1).result()
    assert store.claim_match(match_id, "here:1", lease_seconds=60).result()
    assert not store.claim_match(match_id, "elsewhere:1").result()


@pytest.mark.parametrize("over", ["finished", "void"])
def test_what_is_over_is_not_claimed(store: Store, over: str) -> None:
    match_id = new_match(store)
    store.set_match(match_id, over).result()  # type: ignore[arg-type]
    assert not store.claim_match(match_id, new_owner()).result()


def test_of_many_at_once_one_gets_it(store: Store, url: str) -> None:
    match_id = new_match(store)
    others = [Store.open(url) for _ in range(4)]
    futures = [other.claim_match(match_id, new_owner()) for other in others for _ in range(5)]
    assert sum(future.result() for future in futures) == 1
    for other in others:
        other.close()


def owner_of_a_process(how: str) -> tuple[str, subprocess.Popen[str]]:
    code = f"from harness.store import new_owner; print({how}, flush=True); input()"
    process = subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    return process.stdout.readline().strip(), process


@pytest.mark.parametrize("how", ["new_owner()", "':'.join(new_owner().split(':')[:2])"])
def test_a_killed_process_leaves_its_match_at_once(store: Store, how: str) -> None:
    match_id = new_match(store)
    owner, process = owner_of_a_process(how)
    assert store.claim_match(match_id, owner, lease_seconds=3600).result()
    assert not store.claim_match(match_id, new_owner()).result()
    process.kill()
    # Not waited for yet: the dead process still has its number.
    assert process.stdout is not None
    assert process.stdout.read() == ""
    assert os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT) is not None
    assert store.claim_match(match_id, new_owner()).result()
    process.wait()
    assert is_gone(owner)


def test_a_later_process_of_the_same_number_is_another() -> None:
    host, pid, birth, nonce = new_owner().split(":")
    assert not is_gone(f"{host}:{pid}:{birth}:{nonce}")
    assert is_gone(f"{host}:{pid}:{int(birth) - 1}:{nonce}")


@pytest.mark.parametrize(
    "owner", ["", "me", "a:b:c", "elsewhere:999999:1", f"{socket.gethostname()}:x", f"{socket.gethostname()}:1"]
)
def test_where_it_cannot_be_known_an_owner_counts_as_alive(owner: str) -> None:
    assert not is_gone(owner)
