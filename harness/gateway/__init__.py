"""Every model call: throttled, retried, timed, priced, kept within the budget and written down. The only user of
litellm.

The library is imported when the first model is asked, and not before.
"""

from harness.gateway.gateway import Gateway
from harness.gateway.keys import load_keys, missing_key
from harness.gateway.limits import check_limits
from harness.gateway.prices import check_prices
from harness.gateway.retry import Patience
from harness.gateway.types import CallRequest, Paused, Stopped, Verdict
from harness.gateway.words import TOO_LONG

__all__ = [
    "TOO_LONG",
    "CallRequest",
    "Gateway",
    "Patience",
    "Paused",
    "Stopped",
    "Verdict",
    "check_limits",
    "check_prices",
    "load_keys",
    "missing_key",
]
