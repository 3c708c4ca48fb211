// The contents of a chart, from which the drawing, the table and the CSV are made.

import type { Column } from './heat.ts'

/** A column of a chart's table. */
export interface TableColumn {
  name: string
  /** "ms", "transactions a minute"; missing for a count or a name. */
  unit?: string
}

/** A cell; null if nothing was measured. */
export type Cell = number | string | null

export interface Table {
  columns: TableColumn[]
  rows: Cell[][]
}

/** A line of a chart: y over x, with null for a gap. */
export interface Line {
  name: string
  /** The name that determines its colour in palette.ts. */
  is: string
  /** Whether it is in the background, such as the line of another run. */
  thin?: boolean
  points: [number, number | null][]
}

/** A time without values, and why. */
export interface Gap {
  /** The line without values; missing for all lines. */
  line?: string
  from: number
  until: number
  /** In a few words: "no transaction ended". */
  why: string
  /** Whether it is at an end of the line, as in every run; only the crosshair says why. */
  usual?: boolean
}

/** Lines over time. */
export interface LineChart {
  kind: 'lines'
  title: string
  x: string
  y: string
  /** The unit of y in a tooltip. */
  unit: string
  /** Whether each point is marked, for few points. */
  marked?: boolean
  /** The start of the x axis; 0 if missing. */
  from?: number
  /** Whether the x axis is logarithmic. */
  decades?: boolean
  /** Whether the reader may choose between a linear and a logarithmic y axis. */
  logarithmic?: boolean
  /** Whether the lines are parts of a whole, so that each area lies on those of the lines before it. */
  stacked?: boolean
  /** A value to which the lines are compared, drawn as a dashed line across the chart. */
  level?: { name: string; value: number }
  /** Whether it is drawn lower than others, below the chart that it explains. */
  low?: boolean
  lines: Line[]
  /** Times that are not measured, with their names. */
  phases: { name: string; from: number; to: number }[]
  gaps?: Gap[]
  table: Table
}

/** A bar of a timeline. */
export interface Bar {
  /** Its lane, as an index of lanes. */
  lane: number
  name: string
  from: number
  seconds: number
  /** The outcome if it was not done, such as "failed". */
  broken?: string
  /** Whether it still runs; its length is that so far. */
  running?: boolean
}

/** A timeline of streams, one lane for each. */
export interface GanttChart {
  kind: 'gantt'
  title: string
  x: string
  lanes: string[]
  bars: Bar[]
  table: Table
}

/** The distribution of response times over time. */
export interface HeatChart {
  kind: 'heat'
  title: string
  x: string
  y: string
  columns: Column[]
  /** Like those of a LineChart. */
  from?: number
  phases: LineChart['phases']
  table: Table
}

/** The spread of the response times of each kind of transaction, in milliseconds on a logarithmic axis. */
export interface BoxChart {
  kind: 'boxes'
  title: string
  x: string
  lanes: string[]
  boxes: { kind: string; done: number; min: number; p25: number; p50: number; p75: number; p99: number; max: number }[]
  table: Table
}

export type Chart = LineChart | GanttChart | HeatChart | BoxChart

/** A name of a column with its unit: "p99 (ms)". */
export function head(column: TableColumn): string {
  return column.unit === undefined ? column.name : `${column.name} (${column.unit})`
}

/**
 * A table as CSV (RFC 4180). An apostrophe precedes a text that a spreadsheet would take for a formula, because
 * names and messages come from servers.
 */
export function csv(table: Table): string {
  const cell = (value: Cell): string => {
    if (value === null) return ''
    if (typeof value === 'number') return String(value)
    const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
  }
  const lines = [table.columns.map((column) => cell(head(column))), ...table.rows.map((row) => row.map(cell))]
  return lines.map((line) => line.join(',') + '\r\n').join('')
}

/** Why the lines of a chart cannot be seen in a part of its x axis, in a sentence; '' if they can. */
export function invisible({ lines, x }: LineChart, part: { from: number; until: number }): string {
  let first: number | undefined
  let [zero, alone] = [true, true]
  for (const { points } of lines) {
    for (const [at, value] of points) {
      if (value === null || at < part.from || at > part.until) continue
      first ??= at
      zero &&= value === 0
      alone &&= at === first
      if (!zero && !alone) return ''
    }
  }
  const here = x.endsWith('(s)') ? ' in this time' : ''
  if (first === undefined) return `There are no values${here}.`
  if (zero) return `All values are 0${here}.`
  return `There is only one point${here}.`
}

/** A line's values are flattened if the greatest is so many times the median. */
const steep = 20

/** Whether some values are so far above the median that a linear axis would flatten the rest. */
export function flattened(lines: Line[]): boolean {
  const values = Float64Array.from(lines.flatMap(({ points }) => points.map(([, value]) => value ?? 0).filter((value) => value > 0))).sort()
  return (values.at(-1) ?? 0) > steep * (values[Math.floor(values.length / 2)] ?? Infinity)
}
