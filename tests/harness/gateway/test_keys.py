"""Keys come from the environment, go only where they belong, and are written down nowhere."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.gateway import Paused, missing_key
from harness.gateway.keys import redact, secrets
from harness.spec import PlayerSpec
from tests.harness.gateway.conftest import SCHEMA, Bench, ask
from tests.providers import Fail, Seen, status

SECRET = "zq-very-secret-value-0123456789"


def _player(model: str, **more: object) -> PlayerSpec:
    return PlayerSpec.model_validate({"label": "x", "model": model, **more})


@pytest.mark.parametrize(
    ("model", "names", "enough"),
    [
        ("openai/gpt-4o", ["OPENAI_API_KEY"], {"OPENAI_API_KEY": "k"}),
        ("gpt-4o", ["OPENAI_API_KEY"], {"OPENAI_API_KEY": "k"}),
        ("gemini/flash", ["GEMINI_API_KEY", "GOOGLE_API_KEY"], {"GOOGLE_API_KEY": "k"}),
        ("groq/llama", ["GROQ_API_KEY"], {"GROQ_API_KEY": "k"}),
        ("openrouter/a/b", ["OPENROUTER_API_KEY"], {"OPENROUTER_API_KEY": "k"}),
        ("mistral/large", ["MISTRAL_API_KEY"], {"MISTRAL_API_KEY": "k"}),
        (
            "bedrock/x",
            ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"],
            {"AWS_BEARER_TOKEN_BEDROCK": "k", "AWS_REGION": "r"},
        ),
    ],
)
def test_a_missing_key_is_named(
    model: str, names: list[str], enough: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    said = missing_key(_player(model))
    assert said is not None
    assert all(name in said for name in names)
    assert "\n" not in said
    for name, value in enough.items():
        assert missing_key(_player(model)) is not None
        monkeypatch.setenv(name, value)
    assert missing_key(_player(model)) is None


def test_an_empty_key_is_missing_and_a_region_is_wanted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GROQ_API_KEY", "")
    assert "GROQ_API_KEY" in (missing_key(_player("groq/llama")) or "")
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "k")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "k")
    assert "AWS_REGION_NAME" in (missing_key(_player("bedrock/x")) or "")


def test_who_needs_no_key() -> None:
    assert missing_key(PlayerSpec.model_validate({"label": "b", "bot": "greedy"})) is None
    assert missing_key(_player("local/smollm2")) is None
    assert missing_key(_player("openai/any", api_base="http://127.0.0.1:1/v1")) is None
    assert "HOUSE_KEY" in (
        missing_key(_player("openai/any", api_base="http://127.0.0.1:1/v1", api_key_env="HOUSE_KEY")) or ""
    )


def test_a_file_of_keys_is_read_and_the_environment_wins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import os

    monkeypatch.setenv("GROQ_API_KEY", "from the environment")
    monkeypatch.setenv("MISTRAL_API_KEY", "x")
    monkeypatch.delenv("MISTRAL_API_KEY")
    (tmp_path / ".env").write_text("GROQ_API_KEY=from-file\nMISTRAL_API_KEY='from file'\n")
    assert missing_key(_player("mistral/large")) is None
    assert missing_key(_player("groq/llama")) is None
    assert os.environ["GROQ_API_KEY"] == "from the environment"
    assert os.environ["MISTRAL_API_KEY"] == "from file"


@pytest.mark.parametrize(
    ("model", "provider"),
    [
        ("openai/any", "openai"),
        ("groq/any", "groq"),
        ("openrouter/a/b", "openrouter"),
        ("gemini/gemini-2.5-flash", "gemini"),
    ],
)
async def test_a_providers_key_does_not_go_to_an_address_of_the_files_own(
    bench: Bench, model: str, provider: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("OPENAI_API_KEY", "GROQ_API_KEY", "OPENROUTER_API_KEY", "GEMINI_API_KEY"):
        monkeypatch.setenv(name, SECRET)
    monkeypatch.setenv("HOUSE_KEY", "the-houses-own-key")
    gateway = bench.gateway(
        bench.player("bare", provider=provider, model=model),
        bench.player("named", provider=provider, model=model, api_key_env="HOUSE_KEY"),
    )
    await gateway.complete(ask("bare"))
    await gateway.complete(ask("named"))
    bare, named = bench.loopback.requests
    assert SECRET not in str(bare.headers) + bare.query + bare.raw.decode()
    assert "the-houses-own-key" in str(named.headers)
    assert all("the-houses-own-key" not in call.model_dump_json() for call in bench.calls)


@pytest.mark.parametrize("code", [400, 401, 429, 500])
async def test_a_provider_that_repeats_the_key_is_not_quoted(
    bench: Bench, code: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOUSE_KEY", SECRET)

    def tell(seen: Seen) -> Fail:
        return Fail(
            code, f"Incorrect API key provided: {SECRET}; also sk-abcdefghijklmnopqrstuvwxyz and gsk_0123456789abcdef"
        )

    bench.loopback.always(tell)
    with pytest.raises(Paused) as paused:
        await bench.gateway(bench.player(api_key_env="HOUSE_KEY")).complete(ask())
    for text in [paused.value.why, *(call.model_dump_json() for call in bench.calls)]:
        assert SECRET not in text
        assert "sk-abcdef" not in text
        assert "gsk_0123" not in text
    assert "Incorrect API key provided" in paused.value.why


async def test_a_refused_key_names_its_variable(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOUSE_KEY", SECRET)
    bench.loopback.always(status(401))
    with pytest.raises(Paused, match="HOUSE_KEY") as paused:
        await bench.gateway(bench.player(api_key_env="HOUSE_KEY")).probe("house", SCHEMA)
    assert paused.value.everyone


def test_redaction(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_TOKEN", "abcd1234efgh")
    monkeypatch.setenv("SHORT_KEY", "abc")
    text = redact("abcd1234efgh abc AIzaSyA0123456789abcdefghijk Bearer abcdefghijklmnop task-list", secrets())
    assert "1234" not in text
    assert "AIza" not in text
    assert "abcdefghijklmnop" not in text
    assert " abc " in text
    assert text.endswith("task-list")
