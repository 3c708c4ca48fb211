// The test that needs nothing: SQLite in a file beside the job repository, for half a minute.

import { server } from '../settings/api.ts'
import { setup } from '../setup.svelte.ts'
import { test } from './api.ts'
import { buildThenRun } from './buildthenrun.svelte.ts'
import { startRun } from './start.ts'
import { stateOf } from './trial.ts'

/** The file of the test, in the folder of the job repository at a path. */
export function fileBeside(repository: string): string {
  return `${/^.*[/\\]/.exec(repository)?.[0] ?? ''}sledge-try.sqlite`
}

/** Starts the test. If its schema is there, the run starts at once, and its page opens; otherwise after the build. */
export async function tryOut(): Promise<void> {
  const dbname = fileBeside((await server()).repository.path)
  const values = { dbname, warehouses: '1', users: '2', rampup: '2s', duration: '20s' }
  const target = { db: 'sqlite', workload: 'tprocc' }
  setup.replace(target.db, target.workload, values)
  const { build } = stateOf(await test({ ...target, dbname }))
  if (build === undefined) location.hash = await startRun({ ...target, ...values })
  else await buildThenRun.start({ ...target, ...values }, build === 'resume')
}
