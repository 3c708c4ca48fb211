// Numbers of the use of resources.

import { count } from '../../format.ts'

/** A value of a measure with three significant digits, but with at most two decimals. */
export function inMeasure(value: number): string {
  const size = Math.abs(value)
  if (size >= 100) return count(Math.round(value))
  return size >= 10 ? value.toFixed(1) : String(Math.round(100 * value) / 100)
}
