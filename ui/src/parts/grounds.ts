// The evidence for a job's figures, by the names of its checks.

import type { Job } from '../api/types.ts'

/** The evidence of one check. */
export interface Check {
  /** "Counts"; '' for evidence without a name. */
  name: string
  /** The worst of its evidence. */
  tone: string
  texts: { tone: string; text: string }[]
  /** What the check is about, in a sentence; '' if its texts say that. */
  about: string
}

/** A sign and a word for each tone, the worst first. */
const signs = {
  bad: { sign: '✗', word: 'wrong' },
  doubtful: { sign: '!', word: 'doubtful' },
  good: { sign: '✓', word: 'ok' },
  plain: { sign: '·', word: 'for information' },
}

/** The sign of a tone; an unknown one is for information. */
export function signOfTone(tone: string): { sign: string; word: string } {
  return Object.hasOwn(signs, tone) ? signs[tone as keyof typeof signs] : signs.plain
}

const rank = (tone: string): number => Object.keys(signs).indexOf(tone)

const abouts: Record<string, string> = {
  Counts: 'The virtual users and the server count separately, and must agree.',
  TPM: 'TPM is the server’s own count of all transactions, if it agrees with that of the virtual users.',
  Users: 'Each virtual user must have worked.',
  Flow: 'In a stall, no transaction ends although some are in flight.',
  Course: 'The rate of transactions must be steady. Otherwise the figures depend on when the run began and ended.',
  'Kind of test': 'What its standard and good practice ask for, such as pauses, users for each warehouse and durability. Compare only tests of one kind.',
  Client: 'Sledge itself must not be what limits the result.',
  Machine: 'Other programs on the client’s machine change the figures.',
  'Server state': 'Old transactions and maintenance on the server slow a run.',
  Durability: 'Whether commits survive a power failure. Runs that differ in this cannot be compared.',
  Ledger: 'Each commit that the server acknowledged must be in the database.',
  Thresholds: 'The limits that this run was given.',
}

/** The checks of a job, those that need attention first, and otherwise in the order of the evidence. */
export function checksOf(job: Pick<Job, 'grounds'>): Check[] {
  const checks: Check[] = []
  for (const { tone, name = '', text } of job.grounds ?? []) {
    // Evidence without a name continues the one before.
    const check = name === '' ? checks.at(-1) : checks.find((each) => each.name === name)
    if (check === undefined) checks.push({ name, tone, texts: [{ tone, text }], about: abouts[name] ?? '' })
    else {
      check.texts.push({ tone, text })
      if (rank(tone) < rank(check.tone)) check.tone = tone
    }
  }
  return checks.map((check, i) => ({ check, i })).sort((a, b) => rank(a.check.tone) - rank(b.check.tone) || a.i - b.i).map(({ check }) => check)
}

/** What limited a run, as a sentence in two parts: the limit, and why. The name of its evidence is *Limit*. */
export interface Limit {
  head: string
  rest: string
}

/** What limited a run; undefined if nothing is known about it. */
export function limitOf(job: Pick<Job, 'grounds'>): Limit | undefined {
  const text = (job.grounds ?? []).find(({ name }) => name === 'Limit')?.text
  if (text === undefined || text === '') return undefined
  const sentence = `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? '' : '.'}`
  const at = sentence.search(/[:,] /)
  return at < 0 ? { head: sentence, rest: '' } : { head: sentence.slice(0, at), rest: sentence.slice(at) }
}
