"""The gateway of one run: every model call of every match goes through it."""

from __future__ import annotations

import asyncio
import hashlib
import json
import random
import time
from collections.abc import Awaitable, Callable, Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from harness.gateway import prices, wire, words
from harness.gateway.breaker import Breaker
from harness.gateway.budget import Hold, Ledger
from harness.gateway.errors import Failure, classify, error_inside, one_line
from harness.gateway.keys import load_keys, redact, secrets
from harness.gateway.library import library
from harness.gateway.limits import Gates, Share, timeout_of
from harness.gateway.prices import Rates, rates_of
from harness.gateway.request import Question, Server, build, dropped_params, likely_tokens, sent_params
from harness.gateway.response import Success, is_answer, parse
from harness.gateway.retry import TRANSIENT, Patience, Sleep, Transient, persist
from harness.gateway.stopping import Stopping
from harness.gateway.types import CallRequest, Paused, Verdict
from harness.records import OWN, RESERVED_TOKENS, CallRecord, ErrorKind, Json, PromptMessage, Spend
from harness.reply import Completion
from harness.spec import PlayerSpec, Tournament

if TYPE_CHECKING:
    from harness.local import LocalServers

Record = Callable[[CallRecord], Awaitable[int]]
PROBE = "This is a test of the connection. Answer with one short JSON object of the form asked for."

_open_gateways = 0


class Gateway:
    """Asks the models of one tournament.

    `record` stores a call and gives its id; it is awaited for each request, whatever became of it, before the next one
    is made. `spent` is what earlier processes spent for this run, by match and label. `on_call` is told of each request
    after it is stored, `warn` gets a line for what a person should know at once. Once `stop` is set no request is sent
    any more; those under way are waited for. Use it within one event loop, and close it.
    """

    def __init__(
        self,
        spec: Tournament,
        *,
        run_id: int | None,
        record: Record,
        spent: Mapping[tuple[int | None, str], Spend],
        locals: LocalServers | None,  # noqa: A002 - the contract's name
        on_call: Callable[[CallRecord], None] | None = None,
        warn: Callable[[str], None] | None = None,
        stop: asyncio.Event | None = None,
        patience: Patience | None = None,
        sleep: Sleep = asyncio.sleep,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        global _open_gateways
        load_keys()
        self._spec = spec
        self._run_id = run_id
        self._record = record
        self._locals = locals
        self._on_call = on_call
        self._warn = warn
        self._patience = patience or Patience()
        self._sleep = sleep
        self._stopping = Stopping(stop)
        self._gates = Gates(spec, now, sleep, self._patience)
        self._timeouts = {player.label: timeout_of(spec, player) for player in spec.players}
        self._ledger = Ledger(spec.budget, spent)
        self._rates: dict[str, Rates | None] = {}
        self._warned: set[tuple[str, str]] = set()
        self._breaker = Breaker(spec)
        self._chance = random.Random()  # noqa: S311 - spreads waits, decides nothing
        self._hidden = secrets(player.api_key_env for player in spec.players if player.api_key_env)
        self._library: Any = None
        self._closed = False
        _open_gateways += 1

    @property
    def spent(self) -> Spend:
        """What the run has cost up to now, earlier processes included."""
        return self._ledger.total

    def identity(self, label: str) -> str:
        """What makes this player's model what it is, as a hash: model, address, parameters, extra body, form of
        the answer."""
        from harness.local import is_local, sampling_defaults

        player = self._spec.player(label)
        model = player.model or ""
        defaults = sampling_defaults(model) if is_local(model) else {}
        basis: Json = {
            "model": model,
            "api_base": player.api_base,
            "params": {**defaults, **player.params},
            "extra_body": player.extra_body,
            "response_format": player.response_format,
        }
        return hashlib.sha256(json.dumps(basis, sort_keys=True, default=str).encode()).hexdigest()

    async def probe(self, label: str, schema: Json | None) -> CallRecord:
        """Asks the player one tiny question with this schema. Any answer will do.

        Raises:
            Paused: when the player cannot be asked.
            Stopped: when the run stops before an answer is there.
        """
        return await self.complete(
            CallRequest(
                label=label,
                prompt=(PromptMessage(role="user", parts=(PROBE,)),),
                schema=schema,
                kind="probe",
                match_id=None,
                ply=0,
                seat="",
                decision=0,
                attempt=1,
                read=lambda completion: Verdict(None, None, None),  # noqa: ARG005
            )
        )

    async def complete(self, request: CallRequest) -> CallRecord:
        """Gets an answer, asking again while the trouble may pass. Gives the last request's record with its id.

        A record with an `error_kind` is an answer too: one that is the model's own fault.

        Raises:
            Paused: when there is no answer to be had.
            Stopped: when the run stops before there is one, at once unless a request is under way.
        """
        player = self._spec.player(request.label)
        if self._library is None:
            async with self._stopping.waiting():
                self._library = await asyncio.to_thread(library)
        question = await self._question(player, request)
        self._gates.refuse(player, likely_tokens(question))
        rates = self._rates_of(player)
        number = request.attempt - 1
        began = time.monotonic()

        async def once() -> CallRecord:
            nonlocal number
            self._breaker.check(player)
            number += 1
            try:
                return await self._attempt(player, request, question, rates, number)
            except Transient as failure:
                number -= failure.hopeless_after is not None
                raise

        try:
            call = await persist(once, self._patience, self._chance, self._back_off)
        except Transient as failure:
            paused = words.given_up(player, failure, number + 1 - request.attempt, time.monotonic() - began)
            self._came_to_nothing(player, paused)
            paused.attempt = number
            raise paused from failure
        except Paused as paused:
            paused.attempt = number
            if paused.kind == "bad_request":
                self._came_to_nothing(player, paused)
            raise
        self._breaker.answered(player)
        return call

    async def _back_off(self, seconds: float) -> None:
        async with self._stopping.waiting():
            await self._sleep(seconds)

    def _came_to_nothing(self, player: PlayerSpec, paused: Paused) -> None:
        line = self._breaker.failed(player, paused)
        if line is not None:
            self._once(player, "given_up", line)

    async def close(self) -> None:
        """Closes the connections; the last gateway of the process also those that litellm keeps for all."""
        global _open_gateways
        if self._closed:
            return
        self._closed = True
        self._stopping.close()
        _open_gateways -= 1
        if self._library is not None and _open_gateways == 0:
            await self._library.close_litellm_async_clients()
            self._library.in_memory_llm_clients_cache.flush_cache()

    # One request.

    async def _attempt(
        self, player: PlayerSpec, request: CallRequest, question: Question, rates: Rates | None, number: int
    ) -> CallRecord:
        endpoint = self._gates.endpoint(player)
        if endpoint.spent is not None:
            raise Paused("quota", f"{player.label}: {endpoint.spent}")
        worst = rates.worst(question.tokens_in, question.room) if rates is not None else 0.0
        tokens = question.tokens_in + question.room
        dear = None if rates is not None and rates.nothing else worst
        self._ledger.check(request.match_id, player.label, dear, tokens)
        share: Share | None = None
        try:
            async with self._stopping.waiting():
                share = await self._gates.take(player, likely_tokens(question))
                if endpoint.spent is not None:
                    raise Paused("quota", f"{player.label}: {endpoint.spent}")
                hold = await self._ledger.reserve(request.match_id, player.label, dear, tokens)
            draft = self._draft(player, request, question, number, worst)
            draft, failure = await self._send(player, question, draft, request, rates)
            if failure is None or failure.kind not in (*TRANSIENT, "cancelled"):
                endpoint.answered(share.place)
            else:
                endpoint.failed(share.place, failure.kind, failure.sentence, failure.retry_after, unsent=failure.unsent)
            call = await self._end(draft, hold, share, failure is None or failure.billed)
        finally:
            if share is not None:
                share.close()
        if failure is not None and failure.kind == "cancelled":
            raise asyncio.CancelledError
        if failure is None:
            return call
        if failure.kind in TRANSIENT:
            raise Transient(failure.kind, failure.sentence, failure.retry_after, unsent=failure.unsent)
        if failure.kind in OWN:
            return call
        if failure.kind == "quota":
            endpoint.spent = words.quota(failure)
        raise words.refused(player, failure, question.schema)

    async def _send(
        self, player: PlayerSpec, question: Question, draft: CallRecord, request: CallRequest, rates: Rates | None
    ) -> tuple[CallRecord, Failure | None]:
        """Makes one request; gives the record and, if it failed, why."""
        limit = float(question.kwargs["timeout"])
        began = time.perf_counter()
        response: Any = None
        failed: BaseException | None = None
        with wire.watching() as exchanges:
            try:
                async with asyncio.timeout(limit):
                    response = await self._library.acompletion(**question.kwargs)
            except (Exception, asyncio.CancelledError) as error:
                failed = error
        took = time.perf_counter() - began
        exchange = exchanges[-1] if exchanges else None
        sent, odd = sent_params(exchange.sent if exchange is not None else {}, question)
        flags = (*request.flags, *odd)
        if len(exchanges) > 1:
            flags = (*flags, "sent_twice")
        update: Json = {
            "latency_ms": round(took * 1000, 3),
            "sent": sent,
            "http_status": exchange.status if exchange is not None else None,
            "response": exchange.text if exchange is not None else None,
        }
        if "params_dropped" in flags:
            names = ", ".join(dropped_params(exchange.sent if exchange is not None else {}, question.asked))
            self._once(player, "params_dropped", words.not_sent(player, names))
        if isinstance(failed, Exception) and is_answer(exchange):
            failed, flags = None, (*flags, "library_failed")
        elif failed is None and exchange is not None and error_inside(exchange) is not None:
            failed = ValueError("the reply holds an error")
        if failed is not None:
            if isinstance(failed, asyncio.CancelledError):
                failure = Failure("cancelled", "stopped while it was under way", billed=bool(exchanges))
            else:
                failure = classify(failed, exchanges, self._hidden, late=took >= limit)
            cost = prices.unknown(rates, draft.reserved) if failure.billed else prices.nothing(rates)
            update |= {
                "error_kind": failure.kind,
                "error": failure.sentence,
                "retry_after": failure.retry_after,
                **cost,
            }
            if update["response"]:
                update["response"] = redact(update["response"], self._hidden)
            return draft.model_copy(update={**update, "flags": flags}), failure
        success = parse(response, exchange, question)
        update |= self._answered(success, request)
        update |= prices.paid(success.usage, response, exchange, rates, draft.reserved)
        flags = (*flags, *success.flags)
        if "prompt_cut" in flags:
            self._once(player, "prompt_cut", words.cut(player, success.usage.prompt or 0))
        return draft.model_copy(update={**update, "flags": flags}), None

    def _answered(self, success: Success, request: CallRequest) -> Json:
        """The answer's fields, with the reader's verdict and the two faults that only the envelope tells."""
        completion = Completion(success.content, success.reasoning, success.tool_arguments, success.finish_reason)
        verdict = request.read(completion)
        kind: ErrorKind | None = verdict.error_kind
        error = verdict.error
        if request.kind == "probe" or kind is not None:
            if success.finish_reason == "content_filter":
                kind, error = "content_filter", "the provider's filter cut the answer"
            elif success.refusal is not None:
                kind, error = "refusal", one_line(success.refusal, self._hidden)
        return {
            "content": success.content,
            "reasoning": success.reasoning,
            "tool_arguments": success.tool_arguments,
            "finish_reason": success.finish_reason,
            "served": success.served,
            "read_by": verdict.read_by,
            "error_kind": kind,
            "error": error,
        }

    def _draft(
        self, player: PlayerSpec, request: CallRequest, question: Question, number: int, worst: float
    ) -> CallRecord:
        return CallRecord(
            run_id=self._run_id,
            match_id=request.match_id,
            ply=request.ply,
            seat=request.seat,
            decision=request.decision,
            kind=request.kind,
            attempt=number,
            label=player.label,
            model=player.model or "",
            prompt=question.prompt,
            answer_schema=request.schema,
            asked=question.asked,
            reserved=worst,
            started_at=datetime.now(UTC),
            flags=request.flags,
        )

    async def _end(self, call: CallRecord, hold: Hold, share: Share, billed: bool) -> CallRecord:
        """Settles what was set aside, then stores the record, even if the task is cancelled meanwhile."""
        used = (call.prompt_tokens or 0) + (call.completion_tokens or 0)
        share.used = used
        if billed and call.prompt_tokens is None:
            share.used, used = share.need, hold.tokens
            # A later process counts them too.
            call = call.model_copy(update={"flags": (*call.flags, f"{RESERVED_TOKENS}{used}")})
        await self._ledger.settle(hold, call.cost or 0.0, used)
        number = await asyncio.shield(asyncio.ensure_future(self._record(call)))
        call = call.model_copy(update={"id": number})
        if self._on_call is not None:
            self._on_call(call)
        return call

    # Money.

    def _rates_of(self, player: PlayerSpec) -> Rates | None:
        if player.label not in self._rates:
            self._rates[player.label] = rates_of(player)
        return self._rates[player.label]

    # Words.

    def _once(self, player: PlayerSpec, about: str, line: str) -> None:
        if self._warn is not None and (player.label, about) not in self._warned:
            self._warned.add((player.label, about))
            self._warn(line)

    async def _question(self, player: PlayerSpec, request: CallRequest) -> Question:
        from harness.local import LocalModelError, is_local, sampling_defaults

        server, defaults = None, {}
        model = player.model or ""
        if is_local(model):
            if self._locals is None:
                raise Paused("connection", f"{player.label}: no local server runs here for {model}", everyone=True)
            try:
                async with self._stopping.waiting():
                    started = await self._locals.get(model)
            except LocalModelError as error:
                raise Paused("unknown_model", f"{player.label}: {error}", everyone=True) from error
            server = Server(started.api_base, started.api_key, started.name)
            defaults = sampling_defaults(model)
        return build(
            self._library,
            player,
            request.prompt,
            request.schema,
            more_room=request.more_room,
            timeout=self._timeouts[player.label],
            server=server,
            defaults=defaults,
        )
