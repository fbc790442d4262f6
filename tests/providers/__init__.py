"""A scripted model provider on loopback: a real HTTP server that tests tell what to answer."""

from tests.providers.behaviours import (
    Answer,
    Behaviour,
    Drop,
    Fail,
    Hang,
    Raw,
    bad_enum,
    content_policy,
    context_exceeded,
    legal,
    quota_spent,
    rate_limited,
    status,
    strict_schema,
)
from tests.providers.server import Loopback, Seen

__all__ = [
    "Answer",
    "Behaviour",
    "Drop",
    "Fail",
    "Hang",
    "Loopback",
    "Raw",
    "Seen",
    "bad_enum",
    "content_policy",
    "context_exceeded",
    "legal",
    "quota_spent",
    "rate_limited",
    "status",
    "strict_schema",
]
