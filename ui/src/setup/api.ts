// The requests of the pages Set up and Schema.

import { send } from '../api/client.ts'
import type { Documents } from '../api/types.ts'

export { databases, options, workloads } from '../api/catalog.ts'
export { endJob, startJob } from '../api/jobs.ts'
export type { Entry, Option, Options } from '../api/types.ts'
export type Connection = Documents['document.Connection']
export type Trial = Documents['document.Trial']
export type Settings = Documents['document.Settings']
export type Form = Documents['api.Form']
export type TakenIn = Documents['api.TakenIn']
export type Chain = Documents['api.Chain']
export type Deletion = Documents['api.Deletion']
export type Action = 'build' | 'check' | 'run' | 'delete'

/** Settings of a request by name. */
export type Values = Record<string, string>

export async function connections(signal?: AbortSignal): Promise<Connection[]> {
  return (await send<{ connections: Connection[] }>('GET', 'connections', undefined, signal)).connections
}

/** Saves a connection under a name. */
export function keep(name: string, database: string, values: Values, keepPassword: boolean): Promise<Connection> {
  return send('PUT', `connections/${encodeURIComponent(name)}`, { database, values, keep_password: keepPassword })
}

export function forget(name: string): Promise<unknown> {
  return send('DELETE', `connections/${encodeURIComponent(name)}`)
}

/** The mistakes by setting; "" for those that belong to no setting. */
export type Mistakes = Record<string, string>

/** The settings that a job would have, or their mistakes. */
export async function check(action: Action, settings: Values, signal?: AbortSignal): Promise<{ settings?: Settings; mistakes: Mistakes }> {
  const checked = await send<Documents['api.Checked']>('POST', 'settings/check', { action, settings }, signal)
  return { ...(checked.settings ? { settings: checked.settings } : {}), mistakes: mistakesOf(checked.mistakes) }
}

/** The first mistake of each setting. */
export function mistakesOf(list: Documents['api.Mistake'][]): Mistakes {
  const found: Mistakes = {}
  for (const { where, message } of list) found[where.replace(/^body\.settings\./, '')] ??= message
  return found
}

/** Tests the connection of settings. */
export function test(settings: Values, signal?: AbortSignal): Promise<Trial> {
  return send('POST', 'settings/test', { settings }, signal)
}

/** Settings in every form. */
export async function forms(action: Action, settings: Values, signal?: AbortSignal): Promise<Form[]> {
  return (await send<{ forms: Form[] }>('POST', 'settings/forms', { action, settings }, signal)).forms
}

/** The settings of a script or a configuration file. */
export function takeIn(text: string): Promise<TakenIn> {
  return send('POST', 'settings/read', { text })
}

/** The objects that a delete would drop. */
export function deletion(settings: Values, signal?: AbortSignal): Promise<Deletion> {
  return send('POST', 'settings/deletion', { settings }, signal)
}

/** Starts a build, after which the server starts a run. */
export function startChain(settings: Values, resume: boolean): Promise<Chain> {
  return send('POST', 'chains', { settings, ...(resume ? { resume } : {}) })
}

/** A chain, by the ID of its build. */
export function chain(build: string): Promise<Chain> {
  return send('GET', `chains/${encodeURIComponent(build)}`)
}

/** Starts no run after a build. */
export function stopChain(build: string): Promise<Chain> {
  return send('POST', `chains/${encodeURIComponent(build)}/stop`)
}
