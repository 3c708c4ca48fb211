// What there is to choose from, as the API has it.

import { get, send } from './client.ts'
import type { Documents, Entry, Options } from './types.ts'

/** The databases that there are. */
export async function databases(signal?: AbortSignal): Promise<Entry[]> {
  return (await send<Documents['api.Databases']>('GET', 'databases', undefined, signal)).databases
}

/** The workloads that there are. */
export async function workloads(signal?: AbortSignal): Promise<Entry[]> {
  return (await send<Documents['api.Workloads']>('GET', 'workloads', undefined, signal)).workloads
}

/** The options of a database with a workload; "" is the usual workload. */
export function options(database: string, workload: string, signal?: AbortSignal): Promise<Options> {
  const query = new URLSearchParams({ database, ...(workload === '' ? {} : { workload }) })
  return get(`options?${query.toString()}`, 'sledge-options-2', signal)
}
