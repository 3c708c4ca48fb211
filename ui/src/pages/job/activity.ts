// What the active sessions of the server did: sums over a part of the time, and charts.

import type { ActivityOverTime, ActivityShare } from '../../api/types.ts'
import type { Cell, Line, LineChart } from '../../charts/chart.ts'
import { axisName, classes, phasesOf, type Run } from '../../charts/run.ts'
import type { Part } from '../../charts/viewport.svelte.ts'

/** Sampled sessions of some time. */
export interface Sampled {
  samples: number
  shares: readonly ActivityShare[]
}

/** A row of a table: sessions that did the same. */
export interface Row {
  names: string[]
  sessions: number
  /** The sessions by what they waited for, from the bottom of a stack to its top. */
  classes: { name: string; sessions: number }[]
}

/** By what sessions are told apart. */
export type By = 'class' | 'transaction' | 'wait'

/** Sessions of virtual users in no transaction, or in one that is not known. */
export const noTransaction = 'no transaction'
/** Sessions that belong to no virtual user. */
export const otherPrograms = 'other programs'

/** What sessions executed, for whom: a transaction or a program, and the statement. */
export const executed = ({ transaction, program, statement, inner }: ActivityShare): string[] => [transaction ?? (program === undefined ? '' : `of ${program}`), inner ?? statement ?? 'hidden from this user']
/** What sessions waited for: the class, and the wait by the server's name. */
export const waited = ({ class: name, wait }: ActivityShare): string[] => [name, wait ?? '']

const place = (name: string): number => (classes.includes(name) ? classes.indexOf(name) : classes.length)

/** The shares of clients' sessions, or of others, added up by some of their members, the greatest first. */
export function sumsOf(shares: readonly ActivityShare[], by: (share: ActivityShare) => string[], of = (share: ActivityShare): boolean => share.background === undefined): Row[] {
  const rows = new Map<string, Row>()
  for (const share of shares) {
    if (!of(share) || share.sessions === 0) continue
    const names = by(share)
    const key = JSON.stringify(names)
    const row = rows.get(key) ?? { names, sessions: 0, classes: [] }
    row.sessions += share.sessions
    const same = row.classes.find(({ name }) => name === share.class)
    if (same === undefined) row.classes.push({ name: share.class, sessions: share.sessions })
    else same.sessions += share.sessions
    rows.set(key, row)
  }
  for (const row of rows.values()) row.classes.sort((a, b) => place(a.name) - place(b.name))
  return [...rows.values()].sort((a, b) => b.sessions - a.sessions)
}

/** The sessions that the reader has chosen in a table: those of a row. */
export interface Chosen {
  table: 'executed' | 'waited'
  names: string[]
}

/** Whether sessions belong to the chosen row. */
export function belongs(share: ActivityShare, chosen: Chosen | undefined): boolean {
  if (chosen === undefined) return true
  return JSON.stringify((chosen.table === 'executed' ? executed : waited)(share)) === JSON.stringify(chosen.names)
}

/** Which intervals are in a part of the time, or in the measured time if no part is given; all of them if nothing was measured. */
function inside({ intervals, width_seconds: width }: ActivityOverTime, run: Run, part: Part | undefined): boolean[] {
  const middles = (intervals ?? []).map(({ at_seconds: at }) => at - width / 2)
  if (part !== undefined) return middles.map((at) => at > part.from && at < part.until)
  const unmeasured = phasesOf(run)
  const measured = middles.map((at) => !unmeasured.some(({ from, to }) => at > from && at < to))
  return measured.includes(true) ? measured : measured.map(() => true)
}

/** What was sampled in a part of the time, or in the measured time if no part is given. */
export function within(found: ActivityOverTime, run: Run, part: Part | undefined): Sampled {
  const counts = inside(found, run, part)
  return {
    samples: (found.intervals ?? []).reduce((sum, { samples }, i) => sum + (counts[i] ? samples : 0), 0),
    shares: found.shares.map((share) => ({ ...share, sessions: (share.over_time ?? []).reduce((sum, n, i) => sum + (counts[i] ? n : 0), 0) })),
  }
}

/** Sessions that waited for a lock of others. */
export interface Blocked {
  /** What held the lock: a kind of transaction, or a session of another program. */
  blocker: string
  /** Who waited, and in which statement. */
  names: string[]
  sessions: number
  /** The time that all of them waited, in seconds. */
  lost: number
  /** When they waited first and last, in seconds since the run began. */
  from: number
  until: number
}

/** Who blocked whom in a part of the time, or in the measured time, the longest waits first. */
export function blockedIn(found: ActivityOverTime, run: Run, part: Part | undefined, chosen?: Chosen): Blocked[] {
  const counts = inside(found, run, part)
  const { width_seconds: width } = found
  const rows = new Map<string, Blocked>()
  for (const share of found.shares) {
    if (share.blocker === undefined || !belongs(share, chosen)) continue
    const names = executed(share)
    const key = JSON.stringify([share.blocker, names])
    const row = rows.get(key) ?? { blocker: share.blocker, names, sessions: 0, lost: 0, from: Infinity, until: 0 }
    for (const [i, { at_seconds: at, samples }] of (found.intervals ?? []).entries()) {
      const n = counts[i] ? (share.over_time?.[i] ?? 0) : 0
      if (n === 0) continue
      row.sessions += n
      row.lost += (width * n) / Math.max(samples, 1)
      row.from = Math.min(row.from, at - width)
      row.until = Math.max(row.until, at)
    }
    if (row.sessions > 0) rows.set(key, row)
  }
  return [...rows.values()].sort((a, b) => b.lost - a.lost)
}

/** The number of areas of a chart; more cannot be told apart. */
const mostAreas = 7

/**
 * A chart of the mean number of active sessions over time, by class, transaction or wait, with the CPUs of the server's machine as a
 * line; undefined if nothing was sampled.
 */
export function sessionsChart(found: ActivityOverTime, by: By, run: Run, chosen?: Chosen): LineChart | undefined {
  const intervals = found.intervals ?? []
  if (intervals.length === 0) return undefined
  const cpus = found.server_cpus
  const owner = ({ transaction, program }: ActivityShare): string => transaction ?? (program === undefined ? noTransaction : otherPrograms)
  const nameOf: Record<By, (share: ActivityShare) => string> = { class: (share) => share.class, transaction: owner, wait: (share) => (share.wait === undefined ? share.class : share.wait) }
  const rows = new Map<string, { sessions: number; over: number[] }>()
  for (const share of found.shares) {
    if (share.background !== undefined) continue
    const name = nameOf[by](share)
    const row = rows.get(name) ?? { sessions: 0, over: intervals.map(() => 0) }
    rows.set(name, row)
    // Areas without chosen sessions count for the colours, so that these do not change with the choice.
    row.sessions += share.sessions
    if (!belongs(share, chosen)) continue
    for (const [i, n] of (share.over_time ?? []).entries()) row.over[i] = (row.over[i] ?? 0) + n
  }
  const greatest = [...rows].sort(([, a], [, b]) => b.sessions - a.sessions).map(([name]) => name)
  const last = [noTransaction, otherPrograms]
  const shown = by === 'class' || greatest.length <= mostAreas ? greatest : greatest.slice(0, mostAreas - 1)
  const order = (name: string): number => (by === 'class' ? place(name) : last.includes(name) ? 1 + last.indexOf(name) : 0)
  const names = shown.sort((a, b) => order(a) - order(b) || a.localeCompare(b))
  const rest = greatest.filter((name) => !names.includes(name))
  const mean = (over: readonly number[], i: number): number => Math.round((1000 * (over[i] ?? 0)) / Math.max(intervals[i]?.samples ?? 1, 1)) / 1000
  const sum = (list: readonly string[]): number[] => intervals.map((_, i) => list.reduce((all, name) => all + (rows.get(name)?.over[i] ?? 0), 0))
  // The colour of cpu is the third in each chart.
  let next = 0
  const is = (name: string): string => {
    if (by === 'class' || name === 'cpu') return `wait ${name}`
    if (last.includes(name)) return name
    next += names.includes('cpu') && next === 2 ? 2 : 1
    return `area ${next}`
  }
  const areas = [...names.map((name) => ({ name, is: is(name), over: sum([name]) })), ...(rest.length === 0 ? [] : [{ name: `${rest.length} others`, is: 'wait other', over: sum(rest) }])].filter(({ over }) => over.some((n) => n > 0))
  const lines = areas.map(({ name, is: of, over }): Line => ({ name, is: of, points: holed(found, (i) => mean(over, i)) }))
  const title = chosen === undefined ? 'Active sessions' : 'Active sessions, chosen'
  return {
    kind: 'lines',
    title,
    x: axisName,
    y: 'active sessions',
    unit: '',
    stacked: true,
    ...(cpus === undefined ? {} : { level: { name: cpus === 1 ? '1 CPU' : `${cpus} CPUs`, value: cpus } }),
    ...(run.from === undefined ? {} : { from: run.from }),
    lines,
    phases: phasesOf(run),
    table: {
      columns: [{ name: 'time', unit: 's' }, { name: 'samples' }, ...areas.map(({ name }) => ({ name }))],
      rows: intervals.map(({ at_seconds: at, samples }, i): Cell[] => [at, samples, ...areas.map(({ over }) => mean(over, i))]),
    },
  }
}

/** Points of intervals, with a hole where seconds have no samples. */
function holed({ intervals, width_seconds: width }: ActivityOverTime, value: (i: number) => number): [number, number | null][] {
  return (intervals ?? []).flatMap(({ at_seconds: at }, i, all): [number, number | null][] => {
    const before = all[i - 1]?.at_seconds ?? at
    return at - before > 1.5 * width ? [[(before + at) / 2, null], [at, value(i)]] : [[at, value(i)]]
  })
}

/** The title of the chosen row. */
export function titleOf({ table, names }: Chosen): string {
  const [first = '', second = ''] = names
  return table === 'executed' ? [second, first].filter(Boolean).join(', in ').replace(', in of ', ', of ') : second || first
}
