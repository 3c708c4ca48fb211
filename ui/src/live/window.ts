// Computes which boxes of a long grid are on the screen.

/** A part of a grid, in boxes, and its position. */
export interface Window {
  /** The first box to draw, and how many. */
  from: number
  limit: number
  /** The position of the first row and the height of the whole grid, in pixels. */
  top: number
  height: number
  columns: number
}

/** One more row is drawn above and below, so that slow scrolling shows no empty rows. */
const spare = 1

/**
 * The visible boxes of all, in a region of a size that is scrolled down by top. Only these are requested and drawn.
 */
export function windowOf(boxes: number, width: number, height: number, scrolled: number, box: { width: number; height: number }): Window {
  const columns = Math.max(1, Math.floor(width / box.width))
  const rows = Math.ceil(boxes / columns)
  const first = Math.max(0, Math.min(Math.floor(scrolled / box.height), rows - 1) - spare)
  const last = Math.min(rows, Math.ceil((scrolled + height) / box.height) + spare)
  return { from: first * columns, limit: Math.max(0, last - first) * columns, top: first * box.height, height: rows * box.height, columns }
}
