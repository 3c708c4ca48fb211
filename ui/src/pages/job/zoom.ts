// Computes the part of a run's time to show.

/** A part, in milliseconds since 1970. */
export interface Part {
  from: number
  until: number
}

/** The shortest part in milliseconds, in which single seconds are distinct. */
const least = 10_000

/** Whether zooming into a part shows more points. */
export const canBeCloser = (whole: Part): boolean => whole.until - whole.from > least

function within(part: Part, whole: Part): Part {
  const length = Math.min(part.until - part.from, whole.until - whole.from)
  const from = Math.min(Math.max(part.from, whole.from), whole.until - length)
  return { from, until: from + length }
}

function scaled(part: Part, whole: Part, by: number): Part {
  const middle = (part.from + part.until) / 2
  const half = Math.max((part.until - part.from) * by, Math.min(least, whole.until - whole.from)) / 2
  return within({ from: middle - half, until: middle + half }, whole)
}

/** A third of a part, in its middle. */
export const closer = (part: Part, whole: Part): Part => scaled(part, whole, 1 / 3)

/** Three times as much, around it. */
export const wider = (part: Part, whole: Part): Part => scaled(part, whole, 3)

function moved(part: Part, whole: Part, by: number): Part {
  const step = (part.until - part.from) * by
  return within({ from: part.from + step, until: part.until + step }, whole)
}

/** Moves by half a part, back or forward. */
export const earlier = (part: Part, whole: Part): Part => moved(part, whole, -0.5)
export const later = (part: Part, whole: Part): Part => moved(part, whole, 0.5)

/** The part between two times, in seconds since the whole began. */
export const between = (from: number, until: number, whole: Part): Part => scaled({ from: whole.from + 1000 * from, until: whole.from + 1000 * until }, whole, 1)
