// What the reader of several charts looks at. Charts that share a viewport have one crosshair and show the same part of
// their x axis. It belongs to the page, so it survives new data and charts that are replaced.

/** A part of an x axis, in the unit of the axis. */
export interface Part {
  from: number
  until: number
}

export class Viewport {
  /** The part that is shown; undefined for everything. */
  part = $state.raw<Part>()
  /** The place of the crosshair on the x axis; undefined if there is none. */
  at = $state<number>()
  /** The key of the mark that is drawn stronger; '' for none. */
  lit = $state('')
}

/** A part of a given length around its centre, moved so that it stays within the whole. */
function within(centre: number, length: number, whole: Part): Part | undefined {
  const wanted = Math.min(length, whole.until - whole.from)
  if (wanted >= whole.until - whole.from) return undefined
  const from = Math.min(Math.max(centre - wanted / 2, whole.from), whole.until - wanted)
  return { from, until: from + wanted }
}

/**
 * A part that is scaled by a factor around a place, which keeps its position on the screen; undefined if it would be
 * the whole. A part is never shorter than least.
 */
export function scaled(part: Part, whole: Part, factor: number, around: number, least: number): Part | undefined {
  const length = part.until - part.from
  const next = Math.max(length * factor, Math.min(least, whole.until - whole.from))
  const share = length > 0 ? (around - part.from) / length : 0.5
  return within(around + (0.5 - share) * next, next, whole)
}

/** A part moved by a share of its length, within the whole. */
export function moved(part: Part, whole: Part, share: number): Part | undefined {
  const length = part.until - part.from
  return within((part.from + part.until) / 2 + share * length, length, whole)
}

/** The part between two places, in either order, within the whole and at least so long. */
export function between(one: number, other: number, whole: Part, least: number): Part | undefined {
  return within((one + other) / 2, Math.max(Math.abs(other - one), least), whole)
}
