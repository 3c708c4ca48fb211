// The schedules of saved set-ups.

import { send } from '../api/client.ts'
import type { Documents } from '../api/types.ts'

export type Schedule = Documents['api.Schedule']
export type Schedules = Documents['api.Schedules']
export type ScheduledStart = Documents['api.ScheduledStart']

export function schedules(signal?: AbortSignal): Promise<Schedules> {
  return send('GET', 'schedules', undefined, signal)
}

/** The past starts of a schedule, the newest first. */
export async function starts(id: number, signal?: AbortSignal): Promise<ScheduledStart[]> {
  return (await send<Documents['api.ScheduledStarts']>('GET', `schedules/${id}/starts`, undefined, signal)).starts
}

/** The next times of a cron expression. */
export async function nextTimes(cron: string, zone: string, signal?: AbortSignal): Promise<string[]> {
  return (await send<Documents['api.ScheduleTimes']>('GET', `schedules/times?${new URLSearchParams({ cron, zone }).toString()}`, undefined, signal)).times
}

/** The times of a schedule: a single one, or those of a cron expression. */
export type When = { at: string } | { cron: string; zone: string }

export function create(setup: number, when: When): Promise<Schedule> {
  return send('POST', 'schedules', { setup, ...when })
}

/** Switches a schedule on or off, or changes its times. */
export function change(id: number, to: { enabled: boolean } | When): Promise<Schedule> {
  return send('PATCH', `schedules/${id}`, to)
}

export function remove(id: number): Promise<unknown> {
  return send('DELETE', `schedules/${id}`)
}

/** The address of the schedules, with a set-up in the form for a new one. */
export function toSchedules(setup?: number): string {
  return `#/setup/schedules${setup === undefined ? '' : `?setup=${setup}`}`
}

/** The signs of outcomes; the outcome is the word. */
export const signs = {
  started: { sign: '▶', tone: 'going' },
  missed: { sign: '!', tone: 'doubtful' },
  failed: { sign: '✗', tone: 'bad' },
} as const satisfies Record<ScheduledStart['outcome'], unknown>

/** Usual cron expressions. */
export const usual = [
  { name: 'every day at 02:00', expression: '0 2 * * *' },
  { name: 'working days at 02:00', expression: '0 2 * * 1-5' },
  { name: 'Sundays at 02:00', expression: '0 2 * * 0' },
  { name: 'every hour', expression: '0 * * * *' },
]

/** The moment of a local date and time such as 2026-11-27T02:00, in the browser's time zone or in UTC. */
export function instant(text: string, local: boolean): string {
  return new Date(local ? text : `${text}Z`).toISOString()
}

/** The date and time of a moment, as a field for them wants it: the inverse of instant. */
export function fieldOf(moment: string, local: boolean): string {
  const of = new Date(moment)
  return new Date(of.getTime() - (local ? 60_000 * of.getTimezoneOffset() : 0)).toISOString().slice(0, 16)
}
