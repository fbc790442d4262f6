// The drawer under the board: how the action of the present ply came about.

import { capital, count, duration, el, initial, money, plain, plural } from "./dom.js";
import { SPECTATOR, TABLE } from "./model.js";

const SOURCES = {
  player: ["chosen", "The player's own choice"],
  human: ["human", "A person's choice"],
  forced: ["forced", "The only legal action: nobody was asked"],
  fallback: ["fallback", "No answer could be played: the harness chose among the legal actions"],
};

/** The drawer's heading and body for a ply seen through some eyes. Returns nodes; `open` makes the costly parts too. */
export function decisionView(model, ply, eyes, open) {
  if (ply === 0) return { head: [el("span", { class: "pl-quiet" }, "The start: nothing was decided yet")], body: [] };
  const decision = model.decision(ply);
  if (eyes !== SPECTATOR && eyes !== decision.seat) {
    const told = eyes === TABLE ? "What was thought is not shown as the table knew it" : "How another seat decided is not shown to this one";
    return { head: [el("span", { class: "pl-quiet" }, told)], body: talkOf(model, decision, eyes, open) };
  }
  return { head: summary(model, decision, eyes), body: open ? details(model, decision, eyes) : [] };
}

/** What is under way after the last ply: seen while a match runs, and where it was paused. */
export function pendingView(model, eyes) {
  const decision = model.pending();
  if (!decision) return [];
  const groups = [decision.attempts, ...decision.talk].filter(
    (calls) => calls.length && (eyes === SPECTATOR || eyes === calls[0].seat),
  );
  if (!groups.length) return [];
  return [
    el("h4", {}, "Not decided yet"),
    groups.map((calls) => attemptList(model, calls, `${capital(calls[0].seat)}, ${plural(calls.length, "request")} so far`)),
  ];
}

function summary(model, { seat, turn, attempts, ply }, eyes) {
  const { action, source } = model.frame(ply);
  const [word, meaning] = SOURCES[source] ?? [source, ""];
  const failed = attempts.filter((call) => call.error_kind).length;
  const facts = attempts.length
    ? [
        `${count(sum(attempts, "prompt_tokens"))} + ${count(sum(attempts, "completion_tokens"))} tokens`,
        priced(attempts),
        duration(sum(attempts, "latency_ms")),
        attempts.length > 1 && `${plural(attempts.length, "request")}${failed ? `, ${failed} failed` : ""}`,
      ]
    : [];
  return [
    el("span", { class: "pl-badge", "data-seat": seat, "aria-hidden": "true" }, initial(seat)),
    el("span", { class: "pl-who" }, model.name(seat, eyes, ply)),
    el("code", { class: "pl-action" }, action),
    el("span", { class: `pl-source pl-${source}`, title: meaning }, word),
    turn?.plan_index ? el("span", { class: "pl-fact" }, `step ${turn.plan_index + 1} of a plan`) : null,
    facts.filter(Boolean).map((fact) => el("span", { class: "pl-fact" }, fact)),
  ];
}

function details(model, decision, eyes) {
  const { turn, attempts } = decision;
  if (!known(model, decision)) return [el("p", { class: "pl-quiet" }, "Loading…")];
  const source = model.frame(decision.ply).source;
  // What a reply said beside its actions stands with the first of them.
  const reply = model.details?.turn(decision.asked);
  const seat = model.seats.get(decision.seat);
  const fault = model.details?.turn(decision.ply).plan_fault;
  const facts = [
    seat && ["Player", [seat.label, seat.model, seat.persona && `persona ${seat.persona}`].filter(Boolean).join(" · ")],
    ["How", SOURCES[source]?.[1] ?? source],
    turn?.legal_count && [
      "Legal actions",
      turn.shown_index === null || turn.shown_index === undefined
        ? count(turn.legal_count)
        : `${count(turn.legal_count)}; this one stood at place ${turn.shown_index + 1} of the list as shown`,
    ],
    turn?.plan_index && ["Plan", `step ${turn.plan_index + 1}, decided at ply ${decision.asked}`],
    fault && ["Plan given up", fault],
    turn?.talk?.length && ["Talk round before it", turn.talk.map(capital).join(", ")],
  ].filter(Boolean);
  return [
    facts.length && el("dl", { class: "pl-facts" }, facts.map(([term, value]) => [el("dt", {}, term), el("dd", { dir: "auto" }, value)])),
    textBlock("Thoughts", reply?.thoughts, "pl-thoughts", true),
    textBlock("Notes it keeps", reply?.notes, "pl-notes", true),
    reply?.dropped?.length ? textBlock("Left out of its reply", reply.dropped.join("\n"), "pl-dropped", true) : null,
    attempts.length ? attemptList(model, attempts, attempts.length === 1 ? "The request" : `${attempts.length} requests`) : null,
    model.details ? null : el("p", { class: "pl-quiet" }, "Prompts, replies and thoughts are left out of this page."),
    talkOf(model, decision, eyes, true),
  ].flat().filter(Boolean);
}

/** Whether all that there is to tell of a decision is here, or nothing more will come. */
function known(model, { attempts, talk }) {
  return model.whole || !model.load || [attempts, ...talk].flat().every((call) => model.details?.has(call.number));
}

/** What the shown decision depends on, as one text: while it is the same, what was opened may stay open. */
export function decisionKey(model, ply, eyes, open) {
  const decision = model.decision(ply);
  const calls = [decision.attempts, ...decision.talk].flat();
  const told = model.details?.turn(decision.asked);
  return [ply, eyes, open, calls.length, Boolean(decision.turn), known(model, decision), Boolean(model.details), told?.thoughts ?? ""].join("|");
}

function talkOf(model, decision, eyes, open) {
  const groups = decision.talk.filter((calls) => eyes === SPECTATOR || eyes === calls[0].seat);
  if (!open || !groups.length) return [];
  return [
    el("h4", {}, "Talk before this turn"),
    ...groups.map((calls) => attemptList(model, calls, `${model.name(calls[0].seat, eyes, decision.ply)} was asked to speak`)),
  ];
}

function attemptList(model, calls, title) {
  return el(
    "section",
    { class: "pl-attempts" },
    el("h5", { dir: "auto" }, title),
    calls.map((call, index) => attempt(model, call, index === calls.length - 1)),
  );
}

function attempt(model, call, last) {
  const detail = model.details?.call(call.number) ?? null;
  const facts = [
    ["Prompt tokens", `${count(call.prompt_tokens)}${call.cached_tokens ? ` (${count(call.cached_tokens)} cached)` : ""}`],
    ["Completion tokens", `${count(call.completion_tokens)}${call.reasoning_tokens ? ` (${count(call.reasoning_tokens)} reasoning)` : ""}`],
    ["Cost", priced([call])],
    ["Latency", duration(call.latency_ms)],
    ["Finish", call.finish_reason ?? "–"],
    ["Read", call.read_by ?? "–"],
  ];
  return el(
    "article",
    { class: `pl-attempt${call.error_kind ? " pl-failed" : ""}` },
    el(
      "header",
      {},
      el("strong", {}, `Attempt ${call.attempt}`),
      el("span", { class: "pl-quiet", dir: "auto" }, detail?.served?.model ?? call.model),
      el("span", { class: "pl-mark" }, call.kind),
      call.error_kind && el("span", { class: "pl-mark pl-error-kind" }, call.error_kind.replaceAll("_", " ")),
      (call.flags ?? []).map((flag) => el("span", { class: "pl-mark pl-flag" }, flag.replaceAll("_", " "))),
    ),
    detail?.error && el("p", { class: "pl-error", dir: "auto" }, detail.error),
    el("dl", { class: "pl-numbers" }, facts.map(([term, value]) => el("div", {}, el("dt", {}, term), el("dd", {}, value)))),
    detail && [
      fold(`Prompt (${plural(detail.messages, "message")})`, "pl-prompt", false, () =>
        detail.prompt().map(({ role, text }) => [
          el("h6", {}, role),
          el("pre", { class: "pl-pre", dir: "auto", tabindex: "0" }, text),
        ]),
      ),
      textBlock("Raw reply", detail.content, "pl-reply", last || Boolean(call.error_kind)),
      textBlock("Reasoning", detail.reasoning, "pl-reasoning", false),
      fold("As sent", "pl-sent", false, () =>
        el("pre", { class: "pl-pre", tabindex: "0" }, JSON.stringify({ asked: detail.asked, sent: detail.sent, served: detail.served }, null, 2)),
      ),
    ],
  );
}

function textBlock(title, text, className, open) {
  if (text === null || text === undefined || text === "") return null;
  return fold(title, className, open, () => el("pre", { class: "pl-pre", dir: "auto", tabindex: "0" }, text));
}

/** A part that is made when it is first opened: prompts are long, and most are never looked at. */
function fold(title, className, open, make) {
  const node = el("details", { class: `pl-fold ${className}`, open }, el("summary", {}, plain(title)));
  let made = false;
  const fillIn = () => {
    if (made) return;
    made = true;
    node.append(...[make()].flat(2));
  };
  if (open) fillIn();
  node.addEventListener("toggle", () => node.open && fillIn());
  return node;
}

function sum(calls, field) {
  const known = calls.map((call) => call[field]).filter((value) => value !== null && value !== undefined);
  return known.length ? known.reduce((total, value) => total + value, 0) : null;
}

/** What calls cost, saying where that is not a plain price. */
export function priced(calls) {
  if (calls.every((call) => call.priced_by === "free")) return "free";
  if (calls.some((call) => call.cost === null || call.cost === undefined)) {
    const known = sum(calls, "cost");
    return known ? `${money(known)} + unknown` : "cost unknown";
  }
  const most = calls.some((call) => call.priced_by === "reserved") ? "at most " : "";
  return most + money(sum(calls, "cost"));
}
