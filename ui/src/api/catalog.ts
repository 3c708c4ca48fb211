// Databases, workloads and options from the API.

import { get, send } from './client.ts'
import type { Documents, Entry, Options } from './types.ts'

/** Requests something that never changes while the server runs, once; after a failure, again at the next call. */
function once<T>(ask: () => Promise<T>): () => Promise<T> {
  let asked: Promise<T> | undefined
  return () =>
    (asked ??= ask().catch((reason: unknown) => {
      asked = undefined
      throw reason
    }))
}

/** All databases. */
export const databases = once(async (): Promise<Entry[]> => (await send<Documents['api.Databases']>('GET', 'databases')).databases)

/** All workloads. */
export const workloads = once(async (): Promise<Entry[]> => (await send<Documents['api.Workloads']>('GET', 'workloads')).workloads)

/** The options of a database with a workload; "" is the default workload. */
export function options(database: string, workload: string, signal?: AbortSignal): Promise<Options> {
  const query = new URLSearchParams({ database, ...(workload === '' ? {} : { workload }) })
  return get(`options?${query.toString()}`, 'sledge-options-2', signal)
}
