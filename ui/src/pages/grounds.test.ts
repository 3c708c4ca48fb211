import { expect, test } from 'vitest'
import type { Agreement, Job } from '../api/types.ts'
import run from '../testdata/run.json'
import { groundsOf, signOfGround } from './grounds.ts'

const bare: Job = { schema: 'sledge-job-2', id: '1', action: 'run', database: 'd', workload: 'w', seed: 1, status: 'succeeded' }
const agreement: Agreement = { what: 'new order', client: 1000, server: 1000, low: 995, high: 1005, holds: true }
const client = { cores: 2, cpu_seconds: 1, gc_pauses: 0, gc_pause_seconds: 0, gc_longest_pause_seconds: 0, gomaxprocs: 2 }

// The tone and the begin of the line that a job gets.
test.each<[string, Partial<Job>, string]>([
  ['counts that agree', { agreement }, '✓ Counts agree'],
  ['counts that do not', { agreement: { ...agreement, server: 900, holds: false } }, '✗ Counts disagree'],
  ['bounds that say nothing', { agreement: { ...agreement, vague: true } }, '! Counts are too few to compare'],
  ['nothing to count', { agreement: { ...agreement, none: true } }, '! Counts are not compared'],
  ['all transactions within a hundredth', { counter_agreement: { ...agreement, server: 1014 } }, '✓ TPM agrees'], // 0.9 % out
  ['all transactions beyond it', { counter_agreement: { ...agreement, server: 1020 } }, '✗ TPM cannot be trusted'], // 1.5 %
  ['too few of all transactions', { counter_agreement: { ...agreement, vague: true } }, '! TPM cannot be checked'],
  ['a standstill', { longest_gap: { from_seconds: 3, seconds: 1.5 }, standstills: 2 }, '✗ No transaction ended for 1.5 s, from 3 s on, the longest of 2'],
  ['a client near its limit', { client: { ...client, cores_used: 1.6 } }, '✗ The client was near its limit'],
  ['events that are missing', { unrecorded_events: 7 }, '✗ Incomplete'],
  ['lost connections', { outages: [{ from_seconds: 4, lost: 8, rate_before: 100, silent_seconds: 0, back: [] }] }, '! 8 connections were lost'],
])('%s', (_, of, want) => {
  const [ground, ...others] = groundsOf({ ...bare, ...of })
  if (ground === undefined) throw new Error('nothing is said')
  expect(`${signOfGround(ground)} ${ground.text}`.slice(0, want.length)).toBe(want)
  expect(others).toEqual([])
})

test('nothing is said of a short gap, and of a client that the database works in', () => {
  expect(groundsOf({ ...bare, longest_gap: { from_seconds: 3, seconds: 0.9 }, client: { ...client, cores_used: 2, with_database: true } })).toEqual([])
})

test('what is bad stands first', () => {
  const tones = groundsOf({ ...(run as Job), unrecorded_events: 1 }).map((ground) => ground.tone)
  expect(tones[0]).toBe('bad')
  expect(tones.length).toBeGreaterThan(2)
})
