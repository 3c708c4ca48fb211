// The set-up of a recorded job, to repeat it or to change it.

import type { Job } from '../api/types.ts'
import type { Setup } from '../setup.svelte.ts'
import type { Values } from './api.ts'

type Recorded = Pick<Job, 'database' | 'workload' | 'options' | 'users' | 'seed' | 'groups'>

/** The settings that are not options of a database or workload. */
const besides = new Set(['users', 'seed', 'labels'])

/** Whether a job can be repeated from its record. A job of several groups needs a configuration file. */
export function repeatable(job: Pick<Job, 'workload' | 'groups' | 'origin'>): boolean {
  return !job.workload.includes(' + ') && !job.groups?.length && !job.origin
}

/** The numbers of a job that are not options. A seed above 2^53 is not exact in JavaScript. */
function numbersOf(job: Recorded): Values {
  return { ...(job.users ? { users: String(job.users) } : {}), ...(Number.isSafeInteger(job.seed) ? { seed: String(job.seed) } : {}) }
}

/**
 * Whether a job had the options of a set-up. If the set-up has a connection, the record contains the connection's values
 * too, so only the set-up's own values are compared.
 */
export function matches(setup: Setup, job: Recorded): boolean {
  if (setup.database !== job.database || setup.workload !== job.workload) return false
  const own = Object.entries(setup.values).filter(([name]) => !besides.has(name))
  const recorded = job.options ?? {}
  return own.every(([name, value]) => recorded[name] === value) && (setup.connection !== '' || own.length === Object.keys(recorded).length)
}

/**
 * The settings of a job. If the set-up of this tab is the job's, they include its connection and its passwords, which
 * no record contains.
 */
export function settingsOfJob(setup: Setup, job: Recorded): Values {
  if (matches(setup, job)) return setup.settingsWith(numbersOf(job))
  const secrets = setup.database === job.database && setup.workload === job.workload ? setup.secrets : {}
  return { db: job.database, workload: job.workload, ...job.options, ...numbersOf(job), ...secrets }
}

/** Makes the set-up of this tab that of a job, unless it is already. Passwords of the same database and workload stay. */
export function adopt(setup: Setup, job: Recorded): void {
  if (matches(setup, job)) return
  const secrets = setup.database === job.database && setup.workload === job.workload ? Object.entries(setup.secrets) : []
  setup.replace(job.database, job.workload, { ...job.options, ...numbersOf(job) })
  for (const [name, value] of secrets) setup.setSecret(name, value)
}
