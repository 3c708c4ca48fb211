// Compares each run of a list with the one before it that had the same set-up.

import type { Job } from '../api/types.ts'

/** The difference between the first figures of a run and of the one before it. */
export interface Change {
  percent: number
  /** The ID of the run before. */
  before: string
}

/** The set-ups of jobs, because a long list is compared again with each part of it that arrives. */
const setups = new WeakMap<Job, string>()

/** What must be equal for two runs to have the same set-up. Seeds and labels may differ. */
function setupOf(job: Job): string {
  const known = setups.get(job)
  if (known !== undefined) return known
  const setup = JSON.stringify([job.database, job.workload, job.users, Object.entries(job.options ?? {}).sort(), job.metrics?.[0]?.name])
  setups.set(job, setup)
  return setup
}

/** The changes of the runs in a list, newest first, by ID. A run without an earlier one in the list has none. */
export function changes(jobs: readonly Job[]): Map<string, Change> {
  const found = new Map<string, Change>()
  const newer = new Map<string, Job>()
  for (const job of jobs) {
    const value = job.metrics?.[0]?.value
    if (job.action !== 'run' || job.status !== 'succeeded' || value === undefined || job.origin) continue
    const setup = setupOf(job)
    const next = newer.get(setup)
    const of = next?.metrics?.[0]?.value
    if (next !== undefined && of !== undefined && value > 0) found.set(next.id, { percent: 100 * (of / value - 1), before: job.id })
    newer.set(setup, job)
  }
  return found
}

/** A change as text: "+4.1 %". */
export function percentOf(percent: number): string {
  const rounded = Math.abs(percent) >= 100 ? percent.toFixed(0) : percent.toFixed(1)
  if (Number(rounded) === 0) return '0.0 %'
  return `${percent > 0 ? '+' : ''}${rounded.replace('-', '−')} %`
}
