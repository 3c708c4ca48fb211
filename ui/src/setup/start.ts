// Starts runs with the set-up.

import { startJob, startSequence } from '../api/jobs.ts'
import { toJob, toProfile } from '../route.ts'
import { check, type Values } from './api.ts'

/** Starts a run, or a sequence if the set-up has several numbers of virtual users, and returns its page's address. */
export async function startRun(settings: Values): Promise<string> {
  const { settings: found } = await check('run', settings)
  if ((found?.users?.length ?? 1) > 1) return toProfile((await startSequence(settings)).profile)
  return toJob((await startJob({ action: 'run', settings })).id)
}
