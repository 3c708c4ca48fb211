// Which jobs the index shows.

import type { Job } from '../api/types.ts'
import { day } from '../format.ts'

/** What is looked for; "" of a member does not matter. */
export interface Filter {
  text: string
  status: string
  action: string
  database: string
  workload: string
}

/** The filter that an address has. */
export function filterOf(query: URLSearchParams): Filter {
  const of = (name: keyof Filter): string => query.get(name) ?? ''
  return { text: of('text'), status: of('status'), action: of('action'), database: of('database'), workload: of('workload') }
}

/** The jobs that a filter lets through, in their order. Each word of its text must be in the job, in capitals or not. */
export function matching(jobs: Job[], filter: Filter): Job[] {
  const words = filter.text.toLowerCase().split(/\s+/).filter((word) => word !== '')
  return jobs.filter((job) => {
    for (const name of ['status', 'action', 'database', 'workload'] as const) {
      if (filter[name] !== '' && job[name] !== filter[name]) return false
    }
    if (words.length === 0) return true
    const text = searched(job)
    return words.every((word) => text.includes(word))
  })
}

/** The text of a job that is searched: its names, and what people gave it. */
function searched(job: Job): string {
  const pairs = (of: Record<string, string> | undefined): string[] => Object.entries(of ?? {}).map(([name, value]) => `${name}=${value}`)
  return [job.id, job.action, job.database, job.workload, job.status, job.note ?? '', job.begun ?? '', job.origin ?? '', job.facts?.target ?? '', ...pairs(job.labels), ...pairs(job.options)]
    .join('\n')
    .toLowerCase()
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

/** The values that jobs have of a member, to choose from. */
export function choices(jobs: Job[], name: 'action' | 'database' | 'workload'): string[] {
  return [...new Set(jobs.map((job) => job[name]))].sort()
}
