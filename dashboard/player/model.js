// A replay as the player reads it: what there is at each ply, and how much of it a pair of eyes may see.

import { capital } from "./dom.js";
import { Details, PlainDetails, Views, records } from "./packed.js";

/** Sees everything. */
export const SPECTATOR = "spectator";
/** Knows what every seat knows: an onlooker before anything is revealed. */
export const TABLE = "table";
const HIDDEN = "?";

/** Wraps a replay's JSON, packed or not. Nothing here touches the page. */
export class Model {
  /** `load` brings the details of a packed replay that came without them; until it has, those of `before` serve. */
  constructor(replay, load = null, before = null) {
    this.match = replay.match;
    this.load = load;
    if (replay.packed) {
      const views = new Views(replay);
      this.frames = records(replay.frames);
      this.messages = records(replay.messages);
      this.calls = records(replay.calls);
      this.details = replay.details ? new Details(replay.details) : (before?.details ?? null);
      this.whole = Boolean(replay.details);
      this.viewAt = (number) => views.get(number);
      this.places = Object.fromEntries(replay.eyes.map((eyes, place) => [eyes, place]));
      this.turns = new Map(records(replay.turns).map((turn) => [turn.ply, turn]));
    } else {
      this.frames = replay.frames;
      this.messages = replay.messages;
      this.calls = replay.calls.map((call) => ({ ...call }));
      this.details = new PlainDetails(replay);
      this.whole = true;
      this.viewAt = (number) => replay.views[number];
      this.places = null;
      this.turns = new Map(replay.turns.map((turn) => [turn.ply, turn]));
    }
    this.viewTexts = replay.view_texts ?? null;
    this.fork = replay.fork ?? null;
    this.last = replay.last ?? Math.max(0, this.frames.length - 1);
    this.seats = new Map(this.match.seats.map((seat) => [seat.seat, seat]));
    this.callsAt = new Map();
    this.calls.forEach((call, number) => {
      call.number = number;
      if (!this.callsAt.has(call.ply)) this.callsAt.set(call.ply, []);
      this.callsAt.get(call.ply).push(call);
    });
    this.seen = new Map();
  }

  /** Whether it is over: then whatever was hidden may be shown. */
  get over() {
    return Boolean(this.match.outcome);
  }

  frame(ply) {
    return this.frames[ply];
  }

  viewIndex(ply, reader) {
    const { views } = this.frames[ply];
    const number = this.places ? views[this.places[reader]] : views[reader];
    return number ?? (this.places ? views[this.places[SPECTATOR]] : views[SPECTATOR]);
  }

  view(ply, reader) {
    if (reader !== TABLE) return this.viewAt(this.viewIndex(ply, reader));
    const indexes = [...new Set([...this.seats.keys()].map((seat) => this.viewIndex(ply, seat)))];
    return indexes.map((index) => this.viewAt(index)).reduce(common);
  }

  /** The text of a position that has no drawing; what all seats know has none. */
  viewText(ply, reader) {
    return reader === TABLE ? null : (this.viewTexts?.[this.viewIndex(ply, reader)] ?? null);
  }

  /** Fetches what `details` holds, if it is not here yet. Resolves when it is (or when there is none). */
  async loadDetails() {
    if (this.whole || !this.load) return;
    this.loading ??= Promise.resolve(this.load()).then((packed) => {
      this.details = packed ? new Details(packed) : null;
      this.whole = true;
    });
    await this.loading;
  }

  /** Who decides that ply at a seat: in a fork, up to where it began, whoever sat there before. */
  sitting(seat, ply) {
    const before = this.fork?.before.find((stretch) => ply <= stretch.until);
    return before?.seats.find((one) => one.seat === seat) ?? this.seats.get(seat);
  }

  /** Who sits there. A seat is told no other's name in the tournament, so through its eyes only its own is shown. */
  label(seat, reader, ply = Infinity) {
    const told = reader === SPECTATOR || reader === TABLE || reader === seat;
    return told ? (this.sitting(seat, ply)?.label ?? "") : "";
  }

  /** Where a fork comes from, in words; null for a match that is none. */
  origin() {
    if (!this.fork) return null;
    return this.fork.match === null ? `forked at ply ${this.fork.ply}` : `forked from match ${this.fork.match} at ply ${this.fork.ply}`;
  }

  name(seat, reader, ply = Infinity) {
    const label = this.label(seat, reader, ply);
    return label ? `${capital(seat)} (${label})` : capital(seat);
  }

  /** Events and messages that a reader may know of, in order; `at` is the first ply at which each is shown. */
  visible(reader) {
    if (!this.seen.has(reader)) {
      const all = reader === SPECTATOR;
      const events = [];
      const from = [];
      this.frames.forEach((frame, ply) => {
        from.push(events.length);
        frame.events
          .filter((event) => all || event.audience === "all" || event.audience.includes(reader))
          .forEach((event, index) => events.push({ key: `${ply}.${index}`, at: ply, first: index === 0, event }));
      });
      const messages = this.messages
        .filter((said) => all || said.addressee === "all" || said.sender === reader || said.addressee === reader)
        .map((message) => ({ key: String(message.seq), at: Math.min(message.ply, this.last), message }));
      this.seen.set(reader, { events, messages, from });
    }
    return this.seen.get(reader);
  }

  /** The events of one ply that a reader may know of. */
  eventsAt(ply, reader) {
    const { events, from } = this.visible(reader);
    return events.slice(from[ply], from[ply + 1] ?? events.length).map((item) => item.event);
  }

  /**
   * How the action of a ply came about: its turn record, the calls of its decision, and the talk held just before it.
   * A later action of a plan was decided at the plan's first ply. The ply after the last one is the decision pending.
   */
  decision(ply) {
    const turn = this.turns.get(ply) ?? null;
    const seat = this.frames[ply]?.seat ?? null;
    const asked = ply - (turn?.plan_index ?? 0);
    const groups = new Map();
    for (const call of this.callsAt.get(asked) ?? []) {
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
    return this.callsAt.has(next) ? this.decision(next) : null;
  }

  /** One line about a match that was not played to its end, or null. Why it stands may name players: no seat is told. */
  standing(reader) {
    const { status, why } = this.match;
    if (status === "finished") return null;
    if (status === "running") return "Running: new plies appear as they are played";
    if (status === "queued") return "Waiting for its turn to be played";
    return capital(status) + (why && reader === SPECTATOR ? `: ${why}` : "");
  }

  /** One line that says how it ended, or null while it goes on. */
  result(reader) {
    const { outcome } = this.match;
    if (!outcome) return null;
    const names = outcome.winners.map((seat) => this.name(seat, reader));
    if (outcome.reason === "forfeit") {
      const worst = Math.max(...Object.values(outcome.places));
      const loser = Object.keys(outcome.places).find((seat) => outcome.places[seat] === worst);
      return `${this.name(loser, reader)} forfeits; ${listed(names)} share${names.length === 1 ? "s" : ""} first place`;
    }
    if (names.length === 1) return `${names[0]} wins`;
    return names.length ? `Draw between ${listed(names)}` : "No winner";
  }
}

/** What two views agree on. Where they differ, one of them hides something: then it is hidden here. */
export function common(one, other) {
  if (one === other) return one;
  const lists = Array.isArray(one) && Array.isArray(other);
  if (lists) return one.length === other.length ? one.map((item, place) => common(item, other[place])) : one.filter((item) => other.includes(item));
  const maps = one && other && typeof one === "object" && typeof other === "object";
  if (maps) return Object.fromEntries(Object.keys(one).filter((key) => key in other).map((key) => [key, common(one[key], other[key])]));
  return one === HIDDEN || other === HIDDEN ? HIDDEN : null;
}

function isTalk(group) {
  return group.some((call) => call.kind === "talk");
}

export function listed(names) {
  return names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
}
