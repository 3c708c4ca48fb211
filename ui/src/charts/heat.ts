// Merges the server's counts of response times into the cells of a drawing, and draws them.

import type uPlot from 'uplot'
import { count, millis, seconds } from '../format.ts'
import type { HeatChart } from './chart.ts'
import { shadesOf } from './palette.ts'
import type { RunPoint } from './run.ts'

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
export function heatColumns(points: readonly RunPoint[]): Column[] {
  const each = Math.ceil(points.length / mostColumns)
  const columns: Column[] = []
  for (let i = 0; i < points.length; i += each) {
    const counted = points.slice(i, i + each).filter((point) => (point.cells?.length ?? 0) > 1)
    const [first, last] = [counted[0], counted.at(-1)]
    if (first === undefined || last === undefined) continue
    const begin = Math.max(0, first.time - (first.seconds ?? 1))
    // Measured seconds differ slightly from 1 s; columns are extended to leave no gaps.
    const before = columns.at(-1)?.to ?? 0
    columns.push({ from: Math.abs(begin - before) < 0.5 ? before : begin, to: last.time, ...merged(counted) })
  }
  return columns
}

/** Adds up the counts of points, each of which begins with the number of its first cell. */
function merged(points: readonly RunPoint[]): Pick<Column, 'done' | 'median' | 'cells'> {
  /** The counts by the number of their cell. */
  const counts: number[] = []
  for (const { cells: [first = 0, ...more] = [] } of points) {
    for (const [i, count] of more.entries()) counts[first + i] = (counts[first + i] ?? 0) + count
  }
  const cells = counts.flatMap((count, cell) => (count === 0 ? [] : [{ low: cellBegin(cell), high: cellBegin(cell + 1), count }]))
  const done = cells.reduce((sum, { count }) => sum + count, 0)
  let below = 0
  const middle = cells.find(({ count }) => (below += count) * 2 >= done)
  return { done, median: middle === undefined ? 0 : Math.sqrt(middle.low * middle.high), cells }
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

/** The least and the greatest response time of all columns, in milliseconds. */
export function levels(columns: Column[]): { low: number; high: number } {
  const low = Math.min(...columns.map((column) => column.cells[0]?.low ?? Infinity))
  const high = Math.max(...columns.map((column) => column.cells.at(-1)?.high ?? 0))
  return low < high ? { low, high } : { low: 0.1, high: 10 }
}

/** The shades of a chart and the rates up to which they stand: "≤ 120 a second". */
export function shadeLegend(chart: HeatChart, isDark: boolean): { shade: string; name: string }[] {
  const colours = shadesOf(isDark)
  const limits = bounds(chart.columns)
  return limits.map((limit, i) => ({ shade: colours[i] ?? '', name: `≤ ${limit >= 10 ? count(limit) : String(Number(limit.toPrecision(2)))}${i === limits.length - 1 ? ' a second' : ''}` }))
}

/** Draws the cells. Those of one shade form one path, because there are thousands of them. */
export function drawCells(u: uPlot, chart: HeatChart, isDark: boolean): void {
  const limits = bounds(chart.columns)
  const paths = limits.map(() => new Path2D())
  /** The places of response times on the axis, which the columns share. */
  const places = new Map<number, number>()
  const placeOf = (ms: number): number => {
    let place = places.get(ms)
    if (place === undefined) places.set(ms, (place = Math.round(u.valToPos(ms, 'y', true))))
    return place
  }
  for (const column of chart.columns) {
    const length = column.to - column.from || 1
    // Rounded, so that there are no gaps between neighbours.
    const left = Math.round(u.valToPos(column.from, 'x', true))
    const right = Math.max(Math.round(u.valToPos(column.to, 'x', true)), left + 1)
    for (const cell of column.cells) {
      const [bottom, top] = [placeOf(cell.low), placeOf(cell.high)]
      paths[shadeOf(cell.count / length, limits)]?.rect(left, top, right - left, bottom - top)
    }
  }
  for (const [i, path] of paths.entries()) {
    u.ctx.fillStyle = shadesOf(isDark)[i] ?? ''
    u.ctx.fill(path)
  }
}

/** The column at a time, in a sentence; "" between the columns. */
export function columnAt(chart: HeatChart, at: number): string {
  const column = chart.columns.find((each) => each.from <= at && at <= each.to)
  if (column === undefined) return ''
  return `${seconds(column.from)} to ${seconds(column.to)} s: ${count(column.done)} transactions, half of them within about ${millis(column.median)} ms, the longest below ${millis(column.cells.at(-1)?.high)} ms`
}
