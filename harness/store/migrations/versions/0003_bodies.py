"""What calls say at length is kept as the difference to earlier calls; it was kept whole, part by part, in `text`.

All bodies are of format 1 as `harness.store.bodies` describes it; here they are made as that was written first.
"""

import json
import zlib
from functools import lru_cache
from hashlib import sha256
from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"

WHOLE = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
WORDS = ("content", "reasoning", "tool_arguments")
OLD = (*WORDS, "served", "prompt", "schema_text", "response")
CALL = sa.table(
    "call",
    *(sa.column(name, WHOLE) for name in ("id", "match_id", "schema_text", "opening_text", "asked_text", "sent_text")),
    *(sa.column(name, sa.Text) for name in ("seat", "served", "prompt", *WORDS)),
    *(sa.column(name, sa.LargeBinary) for name in ("response", "body")),
)
TEXT = sa.table("text", sa.column("id", WHOLE), *(sa.column(name, sa.LargeBinary) for name in ("hash", "body")))
REACH = 12_000
_Prompt = list[tuple[str, list[str]]]
_Said = tuple[int, bytes, _Prompt]
"""A call's id, the last bytes of what it says, and its prompt but for the opening."""


def upgrade() -> None:
    """Make every call's body, then let go of the columns and texts that it takes the place of."""
    with op.batch_alter_table("call") as batch:
        batch.add_column(sa.Column("opening_text", WHOLE, sa.ForeignKey("text.id", name="fk_call_opening_text")))
        batch.add_column(sa.Column("body", sa.LargeBinary))
    connection = op.get_bind()
    matches = connection.scalars(sa.select(CALL.c.match_id).distinct().order_by(CALL.c.match_id)).all()
    for match_id in matches:
        _convert(connection, match_id)
    with op.batch_alter_table("call") as batch:
        batch.alter_column("body", existing_type=sa.LargeBinary, nullable=False)
        for name in OLD:
            batch.drop_column(name)
    used = [sa.select(column).where(column.is_not(None)) for column in (CALL.c.asked_text, CALL.c.sent_text)]
    used.append(sa.select(CALL.c.opening_text).where(CALL.c.opening_text.is_not(None)))
    op.execute(sa.delete(TEXT).where(TEXT.c.id.not_in(sa.union(*used))))


def _convert(connection: sa.Connection, match_id: int | None) -> None:
    of_match = CALL.c.match_id.is_(None) if match_id is None else CALL.c.match_id == match_id
    rows = connection.execute(sa.select(CALL).where(of_match).order_by(CALL.c.id)).mappings().all()

    @lru_cache(10_000)
    def text_of(number: int) -> str:
        return _unpack(connection.scalar(sa.select(TEXT.c.body).where(TEXT.c.id == number)))

    @lru_cache(1000)
    def id_of(text: str) -> Any:
        key = sha256(_bytes(text)).digest()
        found = sa.select(TEXT.c.id).where(TEXT.c.hash == key)
        number = connection.scalar(found)
        if number is None:
            connection.execute(sa.insert(TEXT).values(hash=key, body=zlib.compress(_bytes(text))))
            number = connection.scalar(found)
        return number

    said: dict[str | None, _Said] = {}
    for row in rows:
        prompt = [(role, [text_of(part) for part in parts]) for role, parts in _from_json(row["prompt"])]
        opening = None
        if prompt and prompt[0][0] == "system":
            opening = id_of(json.dumps(prompt.pop(0)[1], ensure_ascii=False, separators=(",", ":")))
        schema = None if row["schema_text"] is None else _from_json(text_of(row["schema_text"]))
        response = None if row["response"] is None else _unpack(row["response"])
        seat, last = (said.get(row["seat"]), said.get(None)) if match_id is not None else (None, None)
        words = {name: _unescape(row[name]) for name in WORDS if row[name] is not None}
        found = {"schema": schema, "served": _from_json(row["served"]) or None, **words}
        body, new = _body(row["id"], prompt, found, response, seat, last)
        said[row["seat"]] = said[None] = new
        changed = {"opening_text": opening, "body": body}
        connection.execute(sa.update(CALL).where(CALL.c.id == row["id"]).values(**changed))


def _body(
    number: int,
    prompt: _Prompt,
    found: dict[str, Any],
    response: str | None,
    seat: _Said | None,
    last: _Said | None,
) -> tuple[bytes, _Said]:
    whole, parts = (0, 0) if seat is None else _alike(seat[2], prompt)
    new = list(prompt[whole:])
    if parts:
        new[0] = (new[0][0], new[0][1][parts:])
    fields: dict[str, Any] = {"kept": [whole, parts], "prompt": new}
    fields |= {name: value for name, value in found.items() if value is not None}
    if response is not None:
        fields["response"] = True
    plain = _bytes(json.dumps(fields, ensure_ascii=False, separators=(",", ":"))) + _bytes(response or "")
    others = b"" if last is None or last is seat else last[1]
    dictionary = others + (b"" if seat is None else seat[1])
    squeeze = zlib.compressobj(6, zlib.DEFLATED, -15, 8, zlib.Z_DEFAULT_STRATEGY, dictionary)
    head = bytes([1, *_back(number, seat), *_back(number, last)]) + zlib.crc32(plain).to_bytes(4, "little")
    return head + squeeze.compress(plain) + squeeze.flush(), (number, plain[-REACH:], prompt)


def _alike(old: _Prompt, new: _Prompt) -> tuple[int, int]:
    whole = 0
    for (role, before), (now_role, now) in zip(old, new, strict=False):
        if role != now_role:
            break
        if before != now:
            parts = 0
            while parts < min(len(before), len(now)) and before[parts] == now[parts]:
                parts += 1
            return whole, parts
        whole += 1
    return whole, 0


def _back(number: int, earlier: _Said | None) -> list[int]:
    left = 0 if earlier is None else number - earlier[0]
    groups = []
    while left > 0x7F:
        groups.append(left & 0x7F | 0x80)
        left >>= 7
    return [*groups, left]


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _unpack(body: Any) -> str:
    return zlib.decompress(body).decode("utf-8", "surrogatepass")


def _unescape(text: str) -> str:
    first, *rest = text.split("\x10")
    return first + "".join(chr(int(piece[:4], 16)) + piece[4:] for piece in rest)


def _from_json(text: str) -> Any:
    return json.loads(_unescape(text))
