import type { Status } from '../api/types.ts'

/** A status as a sign and a word, so that it never depends on colour alone. */
export interface Sign {
  sign: string
  word: string
  /** The class of its colour. */
  tone: 'good' | 'bad' | 'doubtful' | 'going'
}

const signs = {
  running: { sign: '▶', word: 'running', tone: 'going' },
  succeeded: { sign: '✓', word: 'done', tone: 'good' },
  failed: { sign: '✗', word: 'failed', tone: 'bad' },
  partial: { sign: '◐', word: 'partial', tone: 'doubtful' },
  invalid: { sign: '!', word: 'invalid', tone: 'bad' },
  missed: { sign: '▽', word: 'missed', tone: 'bad' },
  killed: { sign: '■', word: 'killed', tone: 'bad' },
} as const satisfies Record<Status, Sign>

/** The sign of a status; an unknown one is shown by its name. */
export function signOf(status: string): Sign {
  return Object.hasOwn(signs, status) ? signs[status as Status] : { sign: '?', word: status || 'unknown', tone: 'doubtful' }
}

/** The sign of a job: one that is done but has caveats says so, like the verdict in a terminal. */
export function signOfJob({ status, grounds }: { status: string; grounds?: readonly { tone: string }[] | null | undefined }): Sign {
  const caveats = (grounds ?? []).filter(({ tone }) => tone === 'bad' || tone === 'doubtful')
  if (status !== 'succeeded' || caveats.length === 0) return signOf(status)
  const tone = caveats.some((caveat) => caveat.tone === 'bad') ? 'bad' : 'doubtful'
  return { sign: '!', word: caveats.length === 1 ? 'done, 1 caveat' : `done, ${caveats.length} caveats`, tone }
}

/** All statuses in the order of the filter. */
export const statuses = Object.keys(signs) as Status[]
