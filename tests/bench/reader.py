"""How the reader's time grows with the length of a reply: run `python tests/bench/reader.py`.

For each kind of text the time per byte on 64 KB is compared with that on 256 KB and 1 MB. A reader whose work grows in
proportion to the text stays near 1; one that starts again at every bracket shows the factor by which the text grew.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping

from harness.reply import Completion, read
from tests.harness.reading import seen

OBSERVATION = seen()
ANSWER = '{"actions": ["play red new"]}'
SIZES = (1 << 16, 1 << 18, 1 << 20)


def _filled(piece: str, before: str = "", after: str = "") -> Callable[[int], str]:
    return lambda size: before + piece * max(1, (size - len(before) - len(after)) // len(piece)) + after


KINDS: Mapping[str, Callable[[int], str]] = {
    "open braces": _filled("{"),
    "open braces, then an answer": _filled("{", after=ANSWER),
    "open brackets": _filled("["),
    "keys without end": _filled('{"a":'),
    "keys of empty objects": _filled('"a":{},', before="{"),
    "lists in keys": _filled('{"a":['),
    "nested and closed": lambda size: '{"a":' * (size // 6) + "1" + "}" * (size // 6),
    "empty objects": _filled("{}"),
    "many answers": _filled(ANSWER),
    "broken answers": _filled('{"actions": ["play red new",]} '),
    "braces and quotes": _filled('{"'),
    "swapped quotes": _filled('{":":"{",'),
    "half objects in strings": _filled('{"a":"{\\"b\\":'),
    "quotes": _filled('"'),
    "backslashes": _filled("\\", before='{"actions": ["'),
    "escaped quotes": _filled('\\"', before='{"actions": ["'),
    "an open string of braces": _filled("{", before='{"a": "'),
    "blanks after braces": _filled("{" + " " * 50),
    "one brace, then blanks": _filled(" ", before="{"),
    "backticks": _filled("`"),
    "fences": _filled("```\n"),
    "fenced answers": _filled(f"```json\n{ANSWER}\n```\n"),
    "thinking opened": _filled("<think>"),
    "thinking closed": _filled("</think>"),
    "thinking open and closed": _filled("<think>a</think>", after=ANSWER),
    "digits": _filled("9", before='{"actions": ["play red new"], "x": ', after="}"),
    "messages": _filled('{"to": "all", "text": "x"},', '{"actions": ["play red new"], "messages": [', "1]}"),
    "pledges": _filled(
        "{},", '{"action": "play red new", "messages": [{"to": "all", "text": "x", "pledges": [', "1]}]}"
    ),
    "one long message": _filled("\u202e", '{"action": "play red new", "messages": [{"to": "all", "text": "', '"}]}'),
    "one long action": _filled("A ", '{"action": "', '"}'),
    "names given twice": _filled('"actions": [],', before="{", after='"actions": []}'),
    "letters": _filled("play red new "),
}


def seconds(text: str, repeats: int = 3) -> float:
    """The shortest of several readings, in seconds of processor time."""
    best = float("inf")
    for _ in range(repeats):
        start = time.process_time()
        read(Completion(text, finish_reason="stop"), OBSERVATION)
        best = min(best, time.process_time() - start)
    return best


def main() -> None:
    """Print one line a kind: microseconds a kilobyte at each size, and the last as a multiple of the first."""
    print(f"{'text':<28}" + "".join(f"{size >> 10:>9} KB" for size in SIZES) + f"{'growth':>9}")
    for name, filled in KINDS.items():
        costs = []
        for size in SIZES:
            text = filled(size)
            costs.append(1e6 * seconds(text) / (len(text) / 1024))
        print(f"{name:<28}" + "".join(f"{cost:>12.1f}" for cost in costs) + f"{costs[-1] / costs[0]:>9.2f}")


if __name__ == "__main__":
    main()
