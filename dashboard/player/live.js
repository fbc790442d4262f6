// How often a page that follows what goes on looks for what is new.

/** Milliseconds from the beginning of one look to that of the next. */
const EVERY = 1000;
/** What a machine that is slow to answer has to itself in between. */
const LEAST = 250;

/** The milliseconds to wait after a look that began at a time of `performance.now()`. */
export function rest(begun) {
  return Math.max(LEAST, begun + EVERY - performance.now());
}
