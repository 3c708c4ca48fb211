// The remedies of a failed job or connection test, by its cause.

import { APIError } from '../api/client.ts'
import type { Job } from '../api/types.ts'

/** A way to mend a failure. */
export type Way =
  /** Build the schema, and repeat the job. */
  | { does: 'build then run' }
  | { does: 'build' }
  /** Continue an interrupted build. */
  | { does: 'resume' }
  /** Start the job again with the same settings. */
  | { does: 'again' }
  /** Change an option on Set up; '' is the server's address. */
  | { does: 'change'; option: string; label: string }

/** An option in words: "the superuser password", "the option rampup". */
function the(option: string): string {
  return /(password|user)$/.test(option) ? `the ${option.replaceAll('_', ' ')}` : `the option ${option}`
}

/** The ways to mend a cause, the most likely first. */
export function waysOf(cause: { kind: string; option?: string | undefined } | undefined, action: string): Way[] {
  const change = (option: string, label = the(option)): Way => ({ does: 'change', option, label: `Change ${label}` })
  switch (cause?.kind) {
    case 'no_schema':
    case 'no_database':
      if (action === 'run') return [{ does: 'build then run' }, { does: 'build' }, change('', 'the connection')]
      return action === 'check' ? [{ does: 'build' }, change('', 'the connection')] : [change('', 'the connection')]
    case 'half_built':
      return action === 'delete' ? [] : [{ does: 'resume' }]
    case 'refused':
      return [change(cause.option || 'user'), { does: 'again' }]
    case 'unreachable':
      return [change('', 'the address'), { does: 'again' }]
    case 'option':
      return cause.option ? [change(cause.option)] : []
    default:
      return []
  }
}

/** The ways to mend a failed job. A job without a known cause can be changed. */
export function waysOfJob(job: Pick<Job, 'status' | 'action' | 'cause'>): Way[] {
  if (job.status !== 'failed') return []
  const ways = waysOf(job.cause ?? undefined, job.action)
  return ways.length > 0 ? ways : [{ does: 'change', option: '', label: 'Open the set-up of this job' }]
}

/** The field to change after a refused request; undefined if no field would mend it. */
export function fieldOf(error: unknown): { option: string; label: string } | undefined {
  if (!(error instanceof APIError) || error.problem === undefined) return undefined
  const { mistakes, cause } = error.problem
  const settings = 'body.settings.'
  const option = mistakes?.find(({ where }) => where.startsWith(settings))?.where.slice(settings.length)
  if (option) return { option, label: `Change ${the(option)}` }
  return waysOf(cause, '').find((way) => way.does === 'change')
}
