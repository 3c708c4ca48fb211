// The choices of a set-up.

import { databases, workloads } from '../api/catalog.ts'
import type { Entry } from '../api/types.ts'
import { setup } from '../setup.svelte.ts'
import { connections, type Connection } from './api.ts'

export interface Choices {
  databases: Entry[]
  workloads: Entry[]
  /** The saved connections of all databases. */
  connections: Connection[]
}

/** The default database: the first one without unproven parts. */
export function usual(entries: Entry[]): string {
  return (entries.find((one) => !one.unproven) ?? entries[0])?.name ?? ''
}

/** Requests the choices. Defaults replace names in the set-up that do not exist. */
export async function choices(signal?: AbortSignal): Promise<Choices> {
  const [d, w, c] = await Promise.all([databases(), workloads(), connections(signal)])
  if (!d.some((one) => one.name === setup.database)) setup.choose(usual(d), '')
  if (!w.some((one) => one.name === setup.workload)) setup.choose(setup.database, usual(w))
  if (setup.connection !== '' && !c.some((one) => one.name === setup.connection)) setup.connect('')
  return { databases: d, workloads: w, connections: c }
}
