// The filter of the list of jobs. The server applies it.

import { times } from '../times.svelte.ts'

/** The filter and the order; an empty member matches all, and an empty order is the newest first. */
export interface Filter {
  text: string
  label: string
  status: string
  action: string
  database: string
  workload: string
  /** A number of days until now, such as "7d", or "dates" for the days in since and until. */
  period: string
  since: string
  until: string
  sort: string
}

const names = ['text', 'label', 'status', 'action', 'database', 'workload', 'period', 'since', 'until', 'sort'] as const

/** The periods that can be chosen, and their names. */
export const periods: readonly [string, string][] = [
  ['1d', 'last 24 hours'],
  ['7d', 'last 7 days'],
  ['30d', 'last 30 days'],
  ['365d', 'last 365 days'],
  ['dates', 'from … until …'],
]

/** The orders that can be chosen, and their names. */
export const orders: readonly [string, string][] = [
  ['', 'newest first'],
  ['longest', 'longest first'],
  ['highest', 'highest result first'],
]

/** The filter in an address. */
export function filterOf(query: URLSearchParams): Filter {
  return Object.fromEntries(names.map((name) => [name, query.get(name) ?? ''])) as unknown as Filter
}

/** Whether a filter leaves jobs out. */
export function narrows(filter: Filter): boolean {
  return Object.entries(filter).some(([name, value]) => name !== 'sort' && value !== '')
}

const minute = 60_000
const dayLong = 24 * 60 * minute

/** The begin of a day, "2026-11-22", in the zone that the user has chosen, some days later; "" without a valid day. */
function beginOf(day: string, later = 0): string {
  const at = new Date(Date.parse(`${day}T00:00:00Z`) + later * dayLong)
  return Number.isNaN(at.getTime()) ? '' : new Date(at.getTime() - times.ahead(at) * minute).toISOString()
}

/** The parameters with which the API is asked for the jobs of a filter. */
export function askedOf(filter: Filter): Record<string, string> {
  const { period, since, until, ...others } = filter
  const days = Number(/^(\d{1,4})d$/.exec(period)?.[1] ?? 0)
  // A whole minute, so that a request ahead of the page has the same address as that of the page.
  const begin = days > 0 ? new Date(Math.floor((Date.now() - days * dayLong) / minute) * minute).toISOString() : ''
  return period === 'dates' ? { ...others, since: beginOf(since), until: beginOf(until, 1) } : { ...others, since: begin, until: '' }
}
