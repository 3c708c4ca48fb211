// The states of a connection test in words.

import type { Trial } from './api.ts'

/** A state as a sign, words and a tone. */
export interface State {
  sign: '✓' | '!' | '✗'
  words: string
  tone: 'good' | 'doubtful' | 'bad'
  /** The build that a run needs, or perhaps needs. */
  build?: 'new' | 'resume' | 'perhaps'
}

const states: Record<string, State> = {
  ready: { sign: '✓', words: 'reached; the schema is there', tone: 'good' },
  no_schema: { sign: '!', words: 'reached; no schema yet', tone: 'doubtful', build: 'new' },
  no_database: { sign: '!', words: 'no such database yet', tone: 'doubtful', build: 'new' },
  half_built: { sign: '!', words: 'reached; the build is not finished', tone: 'doubtful', build: 'resume' },
  refused: { sign: '✗', words: 'the login is refused', tone: 'bad' },
  unreachable: { sign: '✗', words: 'not reached', tone: 'bad' },
  unusable: { sign: '✗', words: 'reached, but not usable', tone: 'bad' },
}

/** The state of a test. If a build could log in although the login of a run is refused, the account may not exist yet. */
export function stateOf({ state, ok }: Pick<Trial, 'state' | 'ok'>): State {
  const known = states[state] ?? { sign: ok ? '✓' : '✗', words: state, tone: ok ? 'good' : 'bad' }
  if (state === 'no_database' && !ok) return { sign: '✗', words: 'no such database', tone: 'bad' }
  if (state === 'refused' && ok) return { ...known, build: 'perhaps' }
  return known
}
