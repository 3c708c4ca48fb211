// The questions before a job is stopped or aborted, for the pages of a run and of the schema.

import type { Action } from '../setup/api.ts'

/** A question of Question.svelte. */
export interface Ending {
  title: string
  text: string
  yes: string
}

/** What happens when a job is aborted. */
const lost: Record<Action, string> = {
  build: 'The rows loaded so far stay, and you can continue the build.',
  check: 'The schema does not change.',
  delete: 'Objects that have been dropped already stay dropped.',
  run: 'The run has no complete result.',
}

/** The question before a run is stopped or a job is aborted. */
export function beforeEnding(by: 'stop' | 'abort', action: string): Ending {
  if (by === 'stop') {
    return { title: 'Stop this run?', text: 'Virtual users complete their transactions. The measurements so far are kept as a partial result.', yes: 'Stop the run' }
  }
  return { title: `Abort this ${action}?`, text: `Transactions in flight are aborted. ${Object.hasOwn(lost, action) ? lost[action as Action] : ''}`.trim(), yes: `Abort the ${action}` }
}
