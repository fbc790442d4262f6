"""litellm, imported late and kept quiet: no request of its own, nothing printed, no key file of its own choosing."""

from __future__ import annotations

import gc
import logging
import os
import threading
import warnings
from types import ModuleType
from typing import Any

from harness.gateway import wire

_QUIET = {
    "LITELLM_LOCAL_MODEL_COST_MAP": "True",
    "LITELLM_LOCAL_ANTHROPIC_BETA_HEADERS": "True",
    "LITELLM_LOCAL_BLOG_POSTS": "True",
    "LITELLM_OFFLINE_MODE": "true",
    "LITELLM_MODE": "PRODUCTION",
    "LITELLM_TELEMETRY": "False",
    "DO_NOT_TRACK": "1",
    "HF_HUB_OFFLINE": "1",
    "AWS_EC2_METADATA_DISABLED": "true",
    "OR_APP_NAME": "Parley",
    "OR_SITE_URL": "https://parley.invalid/",
}
"""Set before the import. `LITELLM_MODE` keeps it from reading a `.env` of some parent folder; the last two are the name
that OpenRouter is given (its headers want an address; this one cannot exist)."""

_FORCED = {"DISABLE_AIOHTTP_TRANSPORT": "False", "LITELLM_HTTP2": "False"}
"""What `wire` sees and what was measured to be quick is litellm's aiohttp transport."""

YOUNG = 10_000
"""New objects after which the collector looks at the youngest."""

_lock = threading.Lock()
_library: ModuleType | None = None


def library() -> Any:
    """The litellm module. The first call imports it, which takes seconds of CPU: make that one in a thread."""
    global _library
    if _library is not None:
        return _library
    with _lock:
        if _library is None:
            for name, value in _QUIET.items():
                os.environ.setdefault(name, value)
            os.environ.update(_FORCED)
            _reach_loopback_directly()
            for name in ("LiteLLM", "LiteLLM Proxy", "LiteLLM Router"):
                logger = logging.getLogger(name)
                logger.setLevel(logging.CRITICAL + 1)
                logger.propagate = False
            warnings.filterwarnings("ignore", message="Pydantic serializer warnings")
            import litellm

            litellm.suppress_debug_info = True
            litellm.telemetry = False
            litellm.disable_hf_tokenizer_download = True
            litellm.drop_params = False
            for name in ("LiteLLM", "LiteLLM Proxy", "LiteLLM Router"):
                logging.getLogger(name).setLevel(logging.CRITICAL + 1)
                logging.getLogger(name).disabled = True
            wire.tap()
            _spare_the_collector()
            _library = litellm
    return _library


def _spare_the_collector() -> None:
    """Keeps Python's collector from costing a tenth of each call.

    The import leaves 380,000 objects that stay to the end: looked through again at each full collection, they would
    cost a third of a second every few hundred calls. And a call makes thousands of objects that go by themselves, so
    that a look at the youngest is worth its while more seldom than at every 700.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(YOUNG, *gc.get_threshold()[1:])


def _reach_loopback_directly() -> None:
    """Models on this machine are not asked through a proxy, whatever the environment says of proxies."""
    given = os.environ.get("no_proxy") or os.environ.get("NO_PROXY") or ""
    names = [name.strip() for name in given.split(",") if name.strip()]
    merged = ",".join([*names, *(host for host in ("127.0.0.1", "localhost") if host not in names)])
    os.environ.update({"no_proxy": merged, "NO_PROXY": merged})


def version() -> str:
    """The version of litellm that is installed; does not import it."""
    from importlib.metadata import version as installed

    return installed("litellm")
