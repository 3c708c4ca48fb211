// The state of a running job, from the messages of its stream.

import type { Job, Live, LivePoint, Span } from '../api/types.ts'

/** The state of a job at the last message. It is immutable. */
export interface Shown {
  job: Job | undefined
  now: Live | undefined
  points: readonly LivePoint[]
  spans: readonly Span[]
}

/** Applies messages. The lists of a message replace the entries from a position on. */
export class View {
  shown: Shown = { job: undefined, now: undefined, points: [], spans: [] }

  add(live: Live): void {
    const { job, points, spans } = this.shown
    this.shown = {
      job: (live.job as Job | undefined) ?? job,
      now: live,
      points: same(points, live) ? points : replaced(points, live.points_from, live.points),
      spans: replaced(spans, live.spans_from, live.spans),
    }
  }
}

/** Whether there is only the last point, which each message repeats, without a change. */
function same(points: readonly LivePoint[], live: Live): boolean {
  const [point, ...others] = live.points ?? []
  const last = points.at(-1)
  if (point === undefined) return live.points_from === points.length
  return others.length === 0 && live.points_from === points.length - 1 && last?.at_seconds === point.at_seconds && last.seconds === point.seconds
}

function replaced<T>(list: readonly T[], from: number, by: readonly T[] | null | undefined): readonly T[] {
  if (from === list.length && (by ?? []).length === 0) return list
  return [...list.slice(0, from), ...(by ?? [])]
}

/** The virtual users by state, in the order in which the server counts them. */
export const userStates = ['waiting', 'running', 'succeeded', 'failed'] as const
export type UserState = (typeof userStates)[number]

/** The states as a sign and a word, like those of jobs. */
export const userSigns: Record<UserState, { sign: string; word: string; tone: string }> = {
  waiting: { sign: '○', word: 'waiting', tone: 'idle' },
  running: { sign: '▶', word: 'running', tone: 'going' },
  succeeded: { sign: '✓', word: 'done', tone: 'good' },
  failed: { sign: '✗', word: 'failed', tone: 'bad' },
}

/** The names of a run's phases. */
export function phaseName(name: string, stage?: string): string {
  const words: Record<string, string> = { 'log in': 'logging in', 'ramp-up': 'ramp-up', measure: 'measured time', finish: 'finishing' }
  return stage || (words[name] ?? name)
}
