/** A state as it is shown: by a sign and a word, never by its colour alone. */
export interface Sign {
  sign: string
  word: string
  /** How it is coloured. */
  tone: 'good' | 'bad' | 'doubtful' | 'going'
  /** What the figures of such a job are worth, as the command line says it; "" where they count. */
  worth: string
}

const signs = {
  running: { sign: '▶', word: 'running', tone: 'going', worth: '' },
  succeeded: { sign: '✓', word: 'done', tone: 'good', worth: '' },
  failed: { sign: '✗', word: 'failed', tone: 'bad', worth: 'FAILED: do not use these figures' },
  partial: { sign: '◐', word: 'partial', tone: 'doubtful', worth: 'PARTIAL: the run was stopped early' },
  invalid: { sign: '!', word: 'invalid', tone: 'bad', worth: 'INVALID: do not use these figures' },
  killed: { sign: '■', word: 'killed', tone: 'bad', worth: 'KILLED: do not use these figures' },
} as const satisfies Record<string, Sign>

/** A state that these pages know. */
type Status = keyof typeof signs

/** The sign of a state; one that these pages do not know yet is shown as such. */
export function signOf(status: string): Sign {
  return Object.hasOwn(signs, status) ? signs[status as Status] : { sign: '?', word: status || 'unknown', tone: 'doubtful', worth: '' }
}

/** All states, in the order in which a filter lists them. */
export const statuses = Object.keys(signs) as Status[]
