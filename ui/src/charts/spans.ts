// Charts and times of a run of few, long transactions, such as queries.

import type { Job, Span } from '../api/types.ts'
import type { Cell, GanttChart } from './chart.ts'

/** The times of one kind of transaction in a run of few, long transactions. */
export interface KindTimes {
  kind: string
  done: number
  least?: number
  mean?: number
  most?: number
  rows: number
  notDone: number
}

/** A line for each kind that ran, ordered by number; kinds without a number come last. */
export function kindTimes(spans: Span[]): KindTimes[] {
  const byKind = new Map<string, Span[]>()
  for (const span of spans) {
    if (span.outcome === undefined) continue // in flight
    byKind.set(span.kind, [...(byKind.get(span.kind) ?? []), span])
  }
  return [...byKind]
    .map(([kind, of]) => {
      const done = of.filter((span) => span.outcome === 'done')
      const times = done.map((span) => span.seconds)
      return {
        kind,
        done: done.length,
        rows: done.reduce((sum, span) => sum + span.rows, 0),
        notDone: of.length - done.length,
        ...(times.length > 0
          ? { least: Math.min(...times), mean: times.reduce((sum, s) => sum + s, 0) / times.length, most: Math.max(...times) }
          : {}),
      }
    })
    .sort((a, b) => byNumber(a.kind, b.kind))
}

/** Orders "query 2" before "query 10", and names without a number last. */
function byNumber(a: string, b: string): number {
  const numbered = (name: string): number => (/\d$/.test(name) ? 0 : 1)
  return numbered(a) - numbered(b) || a.localeCompare(b, 'en', { numeric: true })
}

/** The transactions in flight, and the time now in seconds since the first query. */
export interface Flight {
  spans: readonly Span[]
  at: number
}

/**
 * The timeline of each stream, with the transactions in flight of a running job; undefined for a job that does not
 * record single transactions.
 */
export function streamChart(job: Job, flight: Flight = { spans: [], at: 0 }): GanttChart | undefined {
  const ended = (job.spans ?? []).filter((span) => span.outcome !== undefined)
  const spans = [...ended, ...flight.spans]
  if (spans.length === 0) return undefined
  const users = [...new Set(spans.map((span) => span.user))].sort((a, b) => a - b)
  const laneName = (user: number): string => {
    const streams = spans.filter((span) => span.user === user && span.stream >= 0).map((span) => span.stream)
    return streams[0] === undefined ? 'refreshes' : `stream ${streams[0]}`
  }
  return {
    kind: 'gantt',
    title: 'Streams',
    x: 'time since the first query (s)',
    lanes: users.map(laneName),
    bars: spans.map((span) => ({
      lane: users.indexOf(span.user),
      name: span.kind,
      from: span.from_seconds,
      seconds: span.outcome === undefined ? Math.max(0, flight.at - span.from_seconds) : span.seconds,
      ...(span.outcome === undefined ? { running: true } : span.outcome === 'done' ? {} : { broken: span.outcome }),
    })),
    table: {
      columns: [
        { name: 'stream' },
        { name: 'query' },
        { name: 'from', unit: 's' },
        { name: 'took', unit: 's' },
        { name: 'rows' },
        { name: 'outcome' },
      ],
      rows: ended.map((span): Cell[] => [laneName(span.user), span.kind, span.from_seconds, span.seconds, span.rows, span.outcome ?? '']),
    },
  }
}
