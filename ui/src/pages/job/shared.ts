// What the charts of a job's tabs share, beside the viewport.

import type { Mark } from '../../charts/marks.ts'
import type { Run } from '../../charts/run.ts'
import type { Part } from '../../charts/viewport.svelte.ts'

export interface Shared {
  /** The run, for the phases and the shown part. */
  run: Run
  marks: readonly Mark[]
}

/** Bounds of a request, as times. */
export interface Bounds {
  from?: string
  until?: string
}

/** The bounds of a part of a run whose axis began at a time in milliseconds since 1970. */
export function boundsOf({ from, until }: Part, begun: number): Bounds {
  const at = (seconds: number): string => new Date(begun + 1000 * seconds).toISOString()
  return { from: at(from), until: at(until) }
}
