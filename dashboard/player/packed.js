// Reads a packed replay: views as differences, prompts as what they add to the one before, records as tables.

const KEPT = 400;

/** A table's rows as records. */
export function records({ same, keys, rows }) {
  return rows.map((row) => {
    const record = { ...same };
    for (let place = 0; place < keys.length; place += 1) record[keys[place]] = row[place];
    return record;
  });
}

/** Views by number. A few hundred of those asked for last are kept, so that playing on costs one difference a ply. */
export class Views {
  constructor({ views, changes }) {
    this.packed = views;
    this.changes = changes;
    this.made = new Map();
  }

  get(number) {
    const waiting = [];
    let view = null;
    for (let at = number; ; [at] = this.packed[at]) {
      view = this.made.get(at) ?? (this.packed[at][0] === null ? this.packed[at][1] : null);
      if (view) break;
      waiting.push(at);
    }
    while (waiting.length) {
      const at = waiting.pop();
      view = applied(view, this.changes[this.packed[at][1]]);
      this.made.set(at, view);
    }
    if (this.made.size > KEPT) for (const at of [...this.made.keys()].slice(0, this.made.size - KEPT / 2)) this.made.delete(at);
    return view;
  }
}

/** A new value; what did not change is shared with the old one. */
function applied(old, [put, inside, gone]) {
  const next = { ...old, ...put };
  for (const key of Object.keys(inside)) next[key] = applied(old[key], inside[key]);
  for (const key of gone) delete next[key];
  return next;
}

/** Prompts, replies and whatever else is looked at when a decision is opened. */
export class Details {
  constructor(packed) {
    this.packed = packed;
  }

  /** Whether a call is among them: a match may have gone on since. */
  has(number) {
    return number < this.packed.calls.length;
  }

  turn(ply) {
    return this.packed.turns[ply] ?? {};
  }

  call(number) {
    const detail = this.packed.calls[number] ?? {};
    const value = (key) => (detail[key] === undefined ? {} : this.packed.values[detail[key]]);
    const [, keep, own] = detail.prompt ?? [null, 0, []];
    const settings = { asked: value("asked"), sent: value("sent"), served: value("served") };
    return { ...detail, ...settings, messages: keep + own.length, prompt: () => this.prompt(number) };
  }

  /** A prompt's messages: the first ones are those of an earlier prompt, found step by step. */
  prompt(number) {
    const parts = [];
    let at = number;
    let wanted = Infinity;
    while (at !== null && wanted > 0) {
      const [like, keep, own] = this.packed.calls[at]?.prompt ?? [null, 0, []];
      parts.push(own.slice(0, Math.max(0, wanted - keep)));
      wanted = Math.min(wanted, keep);
      at = like;
    }
    return parts.reverse().flat().map((message) => written(message, this.packed.texts));
  }
}

/** The details of a replay that is not packed, under the same names. */
export class PlainDetails {
  constructor(replay) {
    this.turns = new Map(replay.turns.map((turn) => [turn.ply, turn]));
    this.replay = replay;
  }

  has() {
    return true;
  }

  turn(ply) {
    return this.turns.get(ply) ?? {};
  }

  call(number) {
    const call = this.replay.calls[number];
    const prompt = call.prompt ?? [];
    return { ...call, messages: prompt.length, prompt: () => prompt.map((message) => written(message, this.replay.texts)) };
  }
}

/** A prompt message's text, as it was sent. */
function written({ role, parts }, texts) {
  return { role, text: parts.map((part) => texts[part]).join("\n\n") };
}
