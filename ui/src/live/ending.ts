// What is asked before a job is ended, as the page of a run and that of the schema do.

import type { Action } from '../setup/api.ts'

/** A question, as Question.svelte asks it. */
export interface Ending {
  title: string
  text: string
  yes: string
}

/** What is lost with a job that is aborted. */
const lost: Record<Action, string> = {
  build: 'What is loaded by now stays, and the build can be gone on with.',
  check: 'The schema stays as it is.',
  delete: 'What is gone by now stays gone.',
  run: 'The run has no full result.',
}

/** The question before a job is stopped, as a run can be, or aborted. */
export function beforeEnding(by: 'stop' | 'abort', action: string): Ending {
  if (by === 'stop') {
    return { title: 'Stop this run?', text: 'Virtual users finish the transaction that they are in. What was measured until now is kept, as a partial result.', yes: 'Stop the run' }
  }
  return { title: `Abort this ${action}?`, text: `Whatever is under way is broken off. ${Object.hasOwn(lost, action) ? lost[action as Action] : ''}`.trim(), yes: `Abort the ${action}` }
}
