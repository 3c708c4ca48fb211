// What a chart shows, apart from how it is drawn: from this come the drawing, the table
// behind it and the CSV.

import type { Column } from './heat.ts'

/** A column of a chart's table. */
export interface TableColumn {
  name: string
  /** "ms", "transactions a minute"; missing of a count or a name. */
  unit?: string
}

/** A cell; null where nothing was measured. */
export type Cell = number | string | null

export interface Table {
  columns: TableColumn[]
  rows: Cell[][]
}

/** A line of a chart: y over x, null where there is a gap. */
export interface Line {
  name: string
  /** What gives it its colour, as palette.ts knows it. */
  is: string
  points: [number, number | null][]
}

/** Lines over time. */
export interface LineChart {
  kind: 'lines'
  title: string
  x: string
  y: string
  /** The unit of y in a tooltip. */
  unit: string
  /** Whether each point is marked: of few, which were measured apart from each other. */
  marked?: boolean
  /** Where the axis of x begins; 0 where it is missing. */
  from?: number
  lines: Line[]
  /** Times that are not measured, with what they are instead. */
  phases: { name: string; from: number; to: number }[]
  table: Table
}

/** A bar of a drawing of streams. */
export interface Bar {
  /** Its lane, as a place in lanes. */
  lane: number
  name: string
  from: number
  seconds: number
  /** How it ended where it was not done: "failed". */
  broken?: string
}

/** What streams did when, a lane each. */
export interface GanttChart {
  kind: 'gantt'
  title: string
  x: string
  lanes: string[]
  bars: Bar[]
  table: Table
}

/** How many transactions took how long, over time. */
export interface HeatChart {
  kind: 'heat'
  title: string
  x: string
  y: string
  columns: Column[]
  /** As of a LineChart. */
  phases: LineChart['phases']
  table: Table
}

export type Chart = LineChart | GanttChart | HeatChart

/** A name of a column with its unit: "p99 (ms)". */
export function head(column: TableColumn): string {
  return column.unit === undefined ? column.name : `${column.name} (${column.unit})`
}

/**
 * A table as CSV (RFC 4180). A text that a spreadsheet would take for a formula gets an
 * apostrophe before it: names of transactions and messages come from servers.
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
