// The tabs of a job's page, and the address that leads to one.

import type { Job, Live } from '../../api/types.ts'
import type { Part } from '../../charts/viewport.svelte.ts'
import { toJob } from '../../route.ts'

export type Tab = 'result' | 'sessions' | 'machine' | 'counters' | 'transactions' | 'users' | 'failures' | 'plans' | 'server' | 'details'

/** A tab, with the number of things in it if that matters before it is opened. */
export interface Named {
  name: Tab
  title: string
  count?: number
  /** Whether the number is bad news. */
  bad?: boolean
}

/** The tabs of a job that have something to show. The first is the default. hasServer says whether runs sample a server. */
export function tabsOf(job: Job, now: Live | undefined, hasServer: boolean): Named[] {
  const isRun = job.action === 'run'
  const running = job.status === 'running'
  const sampled = running && hasServer
  const failed = running ? (now?.failed ?? []).reduce((sum, each) => sum + each.count, 0) : (job.all?.failed ?? 0)
  const users = (now?.users ?? []).reduce((sum, n) => sum + n, 0)
  const all: (Named | false)[] = [
    { name: 'result', title: isRun ? 'Charts' : 'Result' },
    isRun && (sampled || job.activity !== undefined) && { name: 'sessions', title: 'Sessions' },
    isRun && { name: 'machine', title: 'Machine' },
    isRun && (sampled || job.server_counters !== undefined || job.statements !== undefined) && { name: 'counters', title: 'Server' },
    isRun && !running && { name: 'transactions', title: (job.spans?.length ?? 0) > 0 ? 'Queries' : 'Transactions' },
    isRun && { name: 'failures', title: 'Failures', ...(failed > 0 ? { count: failed, bad: true } : {}) },
    (!running || users > 0) && { name: 'users', title: running ? 'Virtual users' : 'Output' },
    job.explained !== undefined && { name: 'plans', title: 'Plans', count: job.explained.plans },
    Boolean(job.server_report?.text) && { name: 'server', title: 'Report of the server' },
    { name: 'details', title: 'Details' },
  ]
  return all.filter((each): each is Named => each !== false)
}

/** The address of a job's tab with a part of its time, in seconds since the run began, and the ID of a baseline. */
export function addressOf(id: string, tab: string, part: Part | undefined, baseline = ''): string {
  const text = (seconds: number): string => String(Math.round(seconds * 100) / 100)
  return toJob(id, { tab: tab === 'result' ? '' : tab, ...(part === undefined ? {} : { from: text(part.from), until: text(part.until) }), baseline })
}

/** The part of a job's time in an address; undefined without a valid one. */
export function partOf(query: URLSearchParams): Part | undefined {
  const [from, until] = [Number(query.get('from') ?? NaN), Number(query.get('until') ?? NaN)]
  return from >= 0 && until > from && until < Infinity ? { from, until } : undefined
}
