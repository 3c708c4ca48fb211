// What there is to choose from, as the API has it.

import { get, send } from './client.ts'
import type { Documents, Entry, Options } from './types.ts'

/** Asks once for what stays as it is while a program runs; where there was no answer, again the next time. */
function once<T>(ask: () => Promise<T>): () => Promise<T> {
  let asked: Promise<T> | undefined
  return () =>
    (asked ??= ask().catch((reason: unknown) => {
      asked = undefined
      throw reason
    }))
}

/** The databases that there are. */
export const databases = once(async (): Promise<Entry[]> => (await send<Documents['api.Databases']>('GET', 'databases')).databases)

/** The workloads that there are. */
export const workloads = once(async (): Promise<Entry[]> => (await send<Documents['api.Workloads']>('GET', 'workloads')).workloads)

/** The options of a database with a workload; "" is the usual workload. */
export function options(database: string, workload: string, signal?: AbortSignal): Promise<Options> {
  const query = new URLSearchParams({ database, ...(workload === '' ? {} : { workload }) })
  return get(`options?${query.toString()}`, 'sledge-options-2', signal)
}
