// What a page keeps of the messages about a job that goes on.

import type { Job, Live, LivePoint, Span } from '../api/types.ts'

/** A job as it stood by the last message. What it holds is not changed any more. */
export interface Shown {
  job: Job | undefined
  now: Live | undefined
  points: readonly LivePoint[]
  spans: readonly Span[]
}

/** Adds up messages. Each says from which place on its lists replace what is there. */
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

/** Whether there is but the last point again, which comes with each message, as it was. */
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

/** States by a sign and a word, as those of jobs. */
export const userSigns: Record<UserState, { sign: string; word: string; tone: string }> = {
  waiting: { sign: '○', word: 'waiting', tone: 'idle' },
  running: { sign: '▶', word: 'running', tone: 'going' },
  succeeded: { sign: '✓', word: 'done', tone: 'good' },
  failed: { sign: '✗', word: 'failed', tone: 'bad' },
}

/** The phases of a run in words. */
export function phaseName(name: string, stage?: string): string {
  const words: Record<string, string> = { 'log in': 'logging in', 'ramp-up': 'ramp-up', measure: 'measured time', finish: 'finishing' }
  return stage || (words[name] ?? name)
}
