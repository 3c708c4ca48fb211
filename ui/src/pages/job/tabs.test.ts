import { expect, test } from 'vitest'
import type { Job } from '../../api/types.ts'
import { tabsOf } from './tabs.ts'

test('a run on a database without a server has no tabs of the server', () => {
  const names = (job: Partial<Job>, hasServer: boolean): string[] => tabsOf({ action: 'run', status: 'running', ...job } as Job, undefined, hasServer).map(({ name }) => name)
  expect(names({}, true)).toEqual(expect.arrayContaining(['sessions', 'counters']))
  expect(names({}, false)).not.toContain('sessions')
  expect(names({}, false)).not.toContain('counters')
  expect(names({ status: 'succeeded' }, true)).not.toContain('sessions')
  expect(names({ status: 'succeeded', activity: { samples: 1, shares: [] } }, true)).toContain('sessions')
})
