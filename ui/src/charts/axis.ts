// Axes: their labels, and the distances between them.

import { clock, count, millis, seconds } from '../format.ts'

/** Formats of numbers by their most fraction digits. A chart draws dozens of labels, and toLocaleString makes a format for each. */
const formats = Array.from({ length: 7 }, (_, digits) => new Intl.NumberFormat('en-US', { maximumFractionDigits: digits }))
const formatted = (value: number, digits: number): string => formats[digits]?.format(value) ?? String(value)

/**
 * A number on an axis. The last label of an axis that ends with its data may be any number, so it is rounded to
 * the resolution of the axis.
 */
export function label(value: number, span: number): string {
  const digits = Math.min(6, Math.max(0, 1 - Math.floor(Math.log10(Math.max(span, 1e-6)))))
  return formatted(value, digits)
}

/** The distances between the labels of a long time axis, in seconds. */
const clockSteps = [60, 120, 300, 600, 900, 1800, 3600, 7200, 10_800, 14_400, 21_600, 43_200, 86_400]

/** Formats an x axis. */
export interface XAxis {
  name: string
  /** The distances to choose from; undefined for any. */
  steps?: number[]
  text: (value: number) => string
}

/** An x axis by its name. It shows long times in seconds as minutes and hours. */
export function xAxis(name: string, from: number, until: number, whole: boolean): XAxis {
  const span = until - from
  if (!name.endsWith('(s)') || span <= 600) return { name, text: (value) => label(value, span), ...(whole ? { steps: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000] } : {}) }
  return { name: name.replace(/\(s\)$/, span < 3600 && until < 3600 ? '(min:s)' : '(h:min:s)'), steps: clockSteps, text: clock }
}

/** A value with its unit. */
export function valueOf(value: number | null | undefined, unit: string): string {
  if (typeof value !== 'number') return '–'
  return `${unit === 'ms' ? millis(value) : unit === 's' ? seconds(value) : Number.isInteger(value) || Math.abs(value) >= 100 ? count(value) : String(Number(value.toPrecision(3)))} ${unit}`.trimEnd()
}

/** A value on a y axis, short enough for its margin: "1.2 M". */
export function short(value: number, log: boolean): string {
  if (log) return formatted(value, 6)
  if (Math.abs(value) >= 1e6) return `${formatted(Number((value / 1e6).toPrecision(4)), 3)} M`
  return formatted(value, 3)
}
