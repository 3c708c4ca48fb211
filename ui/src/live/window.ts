// Which boxes of a long grid are on the screen.

/** A part of a grid, in boxes, and where it is drawn. */
export interface Window {
  /** The first box to draw, and how many. */
  from: number
  limit: number
  /** How far down the first row of them is, and how tall the whole grid, in pixels. */
  top: number
  height: number
  columns: number
}

/** A row above and below is drawn, too, so that nothing is empty while somebody scrolls slowly. */
const spare = 1

/**
 * The boxes that are seen of so many, in a region of that size that is scrolled that far down. No
 * more are asked for and drawn, however many there are.
 */
export function windowOf(boxes: number, width: number, height: number, scrolled: number, box: { width: number; height: number }): Window {
  const columns = Math.max(1, Math.floor(width / box.width))
  const rows = Math.ceil(boxes / columns)
  const first = Math.max(0, Math.min(Math.floor(scrolled / box.height), rows - 1) - spare)
  const last = Math.min(rows, Math.ceil((scrolled + height) / box.height) + spare)
  return { from: first * columns, limit: Math.max(0, last - first) * columns, top: first * box.height, height: rows * box.height, columns }
}
