// The jobs that have ended since an earlier list, and their notifications.

import type { Job } from './api/types.ts'
import { headline } from './format.ts'
import { signOf } from './parts/status.ts'

/** The status of jobs by ID, and the begin of the newest. */
export interface Seen {
  status: Map<string, string>
  newest: string
}

/** What a list of jobs shows, newest first. */
export function seenIn(list: Job[]): Seen {
  return { status: new Map(list.map(({ id, status }) => [id, status])), newest: list.reduce((newest, { begun }) => (begun !== undefined && begun > newest ? begun : newest), '') }
}

/** The jobs that have ended since an earlier list. A job that is not in it is new if it began later than the others. */
export function endedSince(before: Seen, list: Job[]): Job[] {
  return list.filter(({ id, status, begun }) => status !== 'running' && (before.status.get(id) ?? (begun !== undefined && begun > before.newest ? 'running' : '')) === 'running')
}

/** The title and the text of a job's notification, without control characters. */
export function wordsOf(job: Job, titleOf: (name: string) => string): { title: string; body: string } {
  const plain = (text: string): string => {
    const line = text.replace(/[\p{C}\s]+/gu, ' ').trim()
    return line.length > 200 ? `${line.slice(0, 200)}…` : line
  }
  const figures = job.status === 'succeeded' || job.status === 'missed' ? headline(job) : ''
  return {
    title: plain(`${job.action.charAt(0).toUpperCase()}${job.action.slice(1)} ${signOf(job.status).word}${figures === '' ? '' : `: ${figures}`}`),
    body: plain([`${titleOf(job.database)}, ${titleOf(job.workload)}`, job.reason ?? ''].filter((part) => part !== '').join('. ')),
  }
}
