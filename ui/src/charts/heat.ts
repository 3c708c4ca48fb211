// Merges the server's counts of response times into the cells of a drawing.

import type { LivePoint } from '../api/types.ts'

/** Response times from low to high in milliseconds, and their number. */
export interface HeatCell {
  low: number
  high: number
  count: number
}

/** A stretch of time, in seconds since the run began. */
export interface Column {
  from: number
  to: number
  /** The number of transactions that completed in it. */
  done: number
  /** The median response time in milliseconds: the middle of its cell. */
  median: number
  cells: HeatCell[]
}

/** The maximum number of columns of a drawing. More would be too narrow to distinguish. */
const mostColumns = 160

/** The least response time of a cell in milliseconds; each doubling has four, from 1.024 µs on. */
export function cellBegin(cell: number): number {
  return ((4 + (cell % 4)) * 2 ** (8 + Math.floor(cell / 4))) / 1e6
}

/** Points with their counts; neighbours are merged if there are too many. */
export function heatColumns(points: readonly LivePoint[]): Column[] {
  const counted = points.filter((point) => (point.cells?.length ?? 0) > 1)
  const each = Math.ceil(points.length / mostColumns)
  const columns: Column[] = []
  let begun = -1
  for (const point of counted) {
    const begin = Math.max(0, point.at_seconds - point.seconds)
    // Measured seconds differ slightly from 1 s; columns are extended to leave no gaps.
    const before = columns.at(-1)?.to ?? 0
    const from = Math.abs(begin - before) < 0.5 ? before : begin
    const place = Math.floor(points.indexOf(point) / each)
    let column = columns.at(-1)
    if (column === undefined || place !== begun) {
      begun = place
      column = { from, to: point.at_seconds, done: 0, median: 0, cells: [] }
      columns.push(column)
    }
    column.to = point.at_seconds
    add(column, point.cells ?? [])
  }
  for (const column of columns) finish(column)
  return columns
}

/** Adds counts, which begin with the number of the first cell. */
function add(column: Column, [first = 0, ...counts]: number[]): void {
  for (const [i, count] of counts.entries()) {
    if (count === 0) continue
    column.done += count
    const low = cellBegin(first + i)
    const there = column.cells.find((cell) => cell.low === low)
    if (there === undefined) column.cells.push({ low, high: cellBegin(first + i + 1), count })
    else there.count += count
  }
}

function finish(column: Column): void {
  column.cells.sort((a, b) => a.low - b.low)
  let below = 0
  for (const cell of column.cells) {
    below += cell.count
    if (below * 2 >= column.done) {
      column.median = Math.sqrt(cell.low * cell.high)
      return
    }
  }
}

/** The number of shades of a drawing. */
export const shades = 6

/**
 * The upper bounds of shades in transactions per second of a cell. Each is the same factor above the one before, so
 * that rare response times are visible beside frequent ones.
 */
export function bounds(columns: Column[]): number[] {
  let most = 0
  let least = Infinity
  for (const column of columns) {
    const length = column.to - column.from || 1
    for (const cell of column.cells) {
      most = Math.max(most, cell.count / length)
      least = Math.min(least, cell.count / length)
    }
  }
  if (most === 0) return []
  const factor = (most / least) ** (1 / shades)
  const list = Array.from({ length: shades }, (_, i) => least * factor ** (i + 1))
  list[shades - 1] = most
  return list
}

/** The shade of a cell, from 0. */
export function shadeOf(rate: number, among: number[]): number {
  const found = among.findIndex((bound) => rate <= bound * 1.000001)
  return found < 0 ? among.length - 1 : found
}
