// How far a build or a check has come, from its events.

import type { components } from '../../generated/openapi.ts'

type Event = components['schemas']['api.Event']
type Told = NonNullable<Event['progress']>

/** A table that is being loaded. */
export interface TableRow {
  table: string
  done: number
  total: number
  ready: boolean
  /** Rows a second; undefined while that is not known. */
  rate?: number
  /** Seconds; undefined while that is not known. */
  left?: number
}

/** What is under way. */
export interface Progress {
  step: string
  detail: string
  done: number
  total: number
  unit: string
  rate?: number
  left?: number
  tables: TableRow[]
}

interface Point {
  at: number
  done: number
}

/** The rate is over so many milliseconds, so that it is neither nervous nor old. */
const span = 10_000

/** Takes progress in as it is told, and says how fast it is. */
export class Pace {
  #points = new Map<string, Point[]>()
  #step = ''

  take(event: Event): Progress | undefined {
    const told = event.progress
    if (told === undefined) return undefined
    const at = Date.parse(event.at)
    if (told.step !== this.#step) {
      this.#points.clear()
      this.#step = told.step
    }
    const whole = this.#pace('', at, told.done, told.total)
    return {
      step: told.step,
      detail: told.detail ?? '',
      done: told.done,
      total: told.total,
      unit: told.unit,
      ...whole,
      tables: (told.tables ?? []).map((row: NonNullable<Told['tables']>[number]) => ({
        table: row.table,
        done: row.done,
        total: row.total,
        ready: row.ready,
        ...(row.ready ? {} : this.#pace(row.table, at, row.done, row.total)),
      })),
    }
  }

  #pace(of: string, at: number, done: number, total: number): { rate?: number; left?: number } {
    const points = [...(this.#points.get(of) ?? []), { at, done }].filter((point) => point.at >= at - span)
    this.#points.set(of, points)
    const first = points[0]
    if (first === undefined || at - first.at < 500 || done <= first.done) return {}
    const rate = (done - first.done) / ((at - first.at) / 1000)
    return total > done ? { rate, left: (total - done) / rate } : { rate }
  }
}
