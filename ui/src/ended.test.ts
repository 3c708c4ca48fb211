import { expect, test } from 'vitest'
import type { Job } from './api/types.ts'
import { endedSince, seenIn, wordsOf } from './ended.ts'

const job = (id: string, status: string, begun: string, more: Partial<Job> = {}): Job => ({ schema: 'sledge-job-3', id, status, begun, action: 'run', database: 'postgresql', workload: 'tprocc', seed: 1, ...more }) as Job

test('jobs that have ended are those that ran in the earlier list, and new ones', () => {
  const before = seenIn([job('C', 'running', '2026-11-27T12:00:00Z'), job('B', 'succeeded', '2026-11-27T11:00:00Z')])
  const now = [
    job('E', 'running', '2026-11-27T12:30:00Z'),
    job('D', 'failed', '2026-11-27T12:20:00Z'), // began and ended between the lists
    job('C', 'succeeded', '2026-11-27T12:00:00Z'),
    job('B', 'succeeded', '2026-11-27T11:00:00Z'),
    job('A', 'succeeded', '2026-11-26T11:00:00Z'), // imported meanwhile
  ]
  expect(endedSince(before, now).map(({ id }) => id)).toEqual(['D', 'C'])
  expect(endedSince(seenIn(now), now)).toEqual([])
  expect(endedSince(seenIn([]), [job('A', 'succeeded', '2026-11-27T11:00:00Z')]).map(({ id }) => id)).toEqual(['A'])
})

test('a notification has the figures of a valid run, and the reason of a failure in a line', () => {
  const titleOf = (name: string): string => ({ postgresql: 'PostgreSQL', tprocc: 'TPROC-C' })[name] ?? name
  expect(wordsOf(job('A', 'succeeded', '', { metrics: [{ name: 'NOPM', value: 62211.4, means: '' }] }), titleOf)).toEqual({ title: 'Run done: 62,211 NOPM', body: 'PostgreSQL, TPROC-C' })
  const failed = wordsOf(job('A', 'failed', '', { reason: `ERROR:\r\n\u202e${'x'.repeat(999)}`, metrics: [{ name: 'NOPM', value: 1, means: '' }] }), titleOf)
  expect(failed.title).toBe('Run failed')
  expect(failed.body).toMatch(/^PostgreSQL, TPROC-C\. ERROR: x+…$/)
  expect(failed.body.length).toBe(201)
})
