// Numbers of the server's counters and statements.

import type { ServerCounter, Statements } from '../../api/types.ts'
import { bytes, count } from '../../format.ts'

/** A number of a counter. Its meaning names what it counts, so only bytes and times have a unit. */
export function amount(value: number, unit?: string): string {
  if (unit === 'bytes') return value >= 1000 ? bytes(value) : `${digits(value)} B`
  return unit === 'ms' || unit === 's' || unit === 'µs' ? `${digits(value)} ${unit}` : digits(value)
}

/** A number with at least three digits. */
function digits(value: number): string {
  if (Number.isInteger(value) || Math.abs(value) >= 1000) return count(Math.round(value))
  return String(Number(value.toPrecision(3)))
}

/** The counters that grew and the levels, by source, in their order. */
export function groupsOf(counters: readonly ServerCounter[]): { source: string; counters: ServerCounter[] }[] {
  const groups = new Map<string, ServerCounter[]>()
  for (const one of counters) {
    if (one.value === 0 && one.before === undefined) continue
    groups.set(one.source, [...(groups.get(one.source) ?? []), one])
  }
  return [...groups].map(([source, list]) => ({ source, counters: list }))
}

/** The time of all statements in the server, in seconds. */
export function sumOf(statements: Statements): number {
  return statements.top.reduce((sum, { seconds }) => sum + seconds, statements.others_seconds ?? 0)
}

/** Whether a series that was sampled beside a run is one of the server's counters, by its name. */
export function ofServer(name: string): boolean {
  return name.startsWith("server's ")
}
