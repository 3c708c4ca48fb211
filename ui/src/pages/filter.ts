// The filter of the list of jobs. The server applies it.

import type { Job } from '../api/types.ts'
import { day } from '../format.ts'

/** The filter; an empty member matches all. */
export interface Filter {
  text: string
  status: string
  action: string
  database: string
  workload: string
}

/** The filter in an address. */
export function filterOf(query: URLSearchParams): Filter {
  const of = (name: keyof Filter): string => query.get(name) ?? ''
  return { text: of('text'), status: of('status'), action: of('action'), database: of('database'), workload: of('workload') }
}

/** Jobs by the day on which they began, in their order. */
export function byDay(jobs: Job[]): { day: string; jobs: Job[] }[] {
  const days: { day: string; jobs: Job[] }[] = []
  for (const job of jobs) {
    const of = job.begun === undefined ? 'no date' : day(job.begun)
    const last = days.at(-1)
    if (last?.day === of) last.jobs.push(job)
    else days.push({ day: of, jobs: [job] })
  }
  return days
}
