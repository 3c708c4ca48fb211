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
  build: 'The rows loaded so far stay, and you can continue the build.',
  check: 'The schema stays as it is.',
  delete: 'What has been removed so far stays removed.',
  run: 'The run gets no full result.',
}

/** The question before a job is stopped, as a run can be, or aborted. */
export function beforeEnding(by: 'stop' | 'abort', action: string): Ending {
  if (by === 'stop') {
    return { title: 'Stop this run?', text: 'Virtual users finish their transactions. What was measured so far is kept as a partial result.', yes: 'Stop the run' }
  }
  return { title: `Abort this ${action}?`, text: `Everything under way is cut off. ${Object.hasOwn(lost, action) ? lost[action as Action] : ''}`.trim(), yes: `Abort the ${action}` }
}
