// Numbers of the server's counters and statements.

import type { QueryPlan, ServerCounter, Statement, Statements } from '../../api/types.ts'
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

/** Whether the plan of a statement changed, and in which seconds of the measured time that was seen. */
export function planWords(statement: Statement): string {
  const [first, ...changes] = statement.plans_seen_seconds ?? []
  if (first === undefined) return '–'
  return changes.length > 0 ? `changed in second ${changes.map((at) => Math.round(at)).join(', ')}` : 'same'
}

/** The lines of a plan, and whether a line is a step that another plan does not have. */
export function linesOf(plan: QueryPlan, other: QueryPlan | undefined): { text: string; own: boolean }[] {
  const steps = new Set((other?.lines ?? []).map(({ step }) => step?.trim() ?? ''))
  return (plan.lines ?? []).map(({ text, step }) => ({ text, own: other !== undefined && step !== undefined && !steps.has(step.trim()) }))
}

/** Whether a series that was sampled beside a run is one of the server's counters, by its name. */
export function ofServer(name: string): boolean {
  return name.startsWith("server's ")
}
