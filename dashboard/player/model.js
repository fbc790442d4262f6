// A replay as the player reads it: what there is at each ply, and how much of it a pair of eyes may see.

import { capital } from "./dom.js";

export const SPECTATOR = "spectator";

/** Wraps a replay's JSON. Nothing here touches the page. */
export class Model {
  constructor(replay) {
    this.match = replay.match;
    this.frames = replay.frames;
    this.views = replay.views;
    this.texts = replay.texts;
    this.messages = replay.messages;
    this.viewTexts = replay.view_texts ?? null;
    this.last = Math.max(0, this.frames.length - 1);
    this.seats = new Map(this.match.seats.map((seat) => [seat.seat, seat]));
    this.turns = new Map(replay.turns.map((turn) => [turn.ply, turn]));
    this.calls = Map.groupBy(replay.calls, (call) => call.ply);
    this.seen = new Map();
  }

  frame(ply) {
    return this.frames[ply];
  }

  viewIndex(ply, eyes) {
    const { views } = this.frames[ply];
    return views[eyes] ?? views[SPECTATOR];
  }

  view(ply, eyes) {
    return this.views[this.viewIndex(ply, eyes)];
  }

  /** Who sits there. A seat is told no other's name in the tournament, so through its eyes only its own is shown. */
  label(seat, eyes) {
    return eyes === SPECTATOR || eyes === seat ? (this.seats.get(seat)?.label ?? "") : "";
  }

  name(seat, eyes) {
    const label = this.label(seat, eyes);
    return label ? `${capital(seat)} (${label})` : capital(seat);
  }

  /** Events and messages that those eyes may know of, in order; `at` is the first ply at which each is shown. */
  visible(eyes) {
    if (!this.seen.has(eyes)) {
      const all = eyes === SPECTATOR;
      const events = this.frames.flatMap((frame) =>
        frame.events
          .filter((event) => all || event.audience === "all" || event.audience.includes(eyes))
          .map((event, index) => ({ key: `${frame.ply}.${index}`, at: frame.ply, first: index === 0, event })),
      );
      const messages = this.messages
        .filter((said) => all || said.addressee === "all" || said.sender === eyes || said.addressee === eyes)
        .map((message) => ({ key: String(message.seq), at: Math.min(message.ply, this.last), message }));
      this.seen.set(eyes, { events, messages });
    }
    return this.seen.get(eyes);
  }

  /**
   * How the action of a ply came about: its turn record, the calls of its decision, and the talk held just before it.
   * A later action of a plan was decided at the plan's first ply. The ply after the last one is the decision pending.
   */
  decision(ply) {
    const turn = this.turns.get(ply) ?? null;
    const seat = this.frames[ply]?.seat ?? null;
    const asked = ply - (turn?.plan_index ?? 0);
    const calls = this.calls.get(asked) ?? [];
    const groups = new Map();
    for (const call of calls) {
      const key = `${call.seat} ${call.decision}`;
      groups.set(key, [...(groups.get(key) ?? []), call]);
    }
    const decisions = [...groups.values()];
    const own = (group) => (turn ? group[0].seat === seat && group[0].decision === turn.decision : !isTalk(group));
    return {
      ply,
      asked,
      seat,
      turn,
      attempts: decisions.filter(own).flat(),
      talk: asked === ply ? decisions.filter((group) => !own(group)) : [],
    };
  }

  /** The decision that was begun but never led to an action: a match that runs, or one that is paused. */
  pending() {
    const next = this.last + 1;
    return this.calls.has(next) ? this.decision(next) : null;
  }

  /** A prompt message's text, as it was sent. */
  promptText(message) {
    return message.parts.map((part) => this.texts[part]).join("\n\n");
  }

  /** One line about a match that was not played to its end, or null. Why it stands may name players: no seat is told. */
  standing(eyes) {
    const { status, why } = this.match;
    if (status === "finished") return null;
    if (status === "running") return "Running: new plies appear as they are played";
    if (status === "queued") return "Waiting for its turn to be played";
    return capital(status) + (why && eyes === SPECTATOR ? `: ${why}` : "");
  }

  /** One line that says how it ended, or null while it goes on. */
  result(eyes) {
    const { outcome } = this.match;
    if (!outcome) return null;
    const names = outcome.winners.map((seat) => this.name(seat, eyes));
    if (outcome.reason === "forfeit") {
      const worst = Math.max(...Object.values(outcome.places));
      const loser = Object.keys(outcome.places).find((seat) => outcome.places[seat] === worst);
      return `${this.name(loser, eyes)} forfeits; ${listed(names)} share${names.length === 1 ? "s" : ""} first place`;
    }
    if (names.length === 1) return `${names[0]} wins`;
    return names.length ? `Draw between ${listed(names)}` : "No winner";
  }
}

function isTalk(group) {
  return group.some((call) => call.kind === "talk");
}

export function listed(names) {
  return names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
}
