// Takes the set-up from a script or a configuration file.

import { setup } from '../setup.svelte.ts'
import { takeIn, type TakenIn } from './api.ts'

/** Reads a text on the server, which runs nothing, and replaces the set-up of its database and workload. */
export async function importText(text: string): Promise<TakenIn> {
  const imported = await takeIn(text)
  const { db = setup.database, workload = setup.workload, connection = '', ...values } = imported.settings
  setup.replace(db, workload, values)
  if (connection !== '') setup.connect(connection)
  return imported
}
