import { flushSync, mount, unmount } from 'svelte'
import { expect, test } from 'vitest'
import type { Job } from '../api/types.ts'
import { checksOf } from './grounds.ts'
import Grounds from './Grounds.svelte'

const grounds: NonNullable<Job['grounds']> = [
  { tone: 'plain', name: 'Load', text: '4 users' },
  { tone: 'good', name: 'Counts', text: 'new orders agree' },
  { tone: 'bad', name: 'Ledger', text: '1 commit is missing' },
  { tone: 'bad', text: 'order 4711' },
  { tone: 'good', name: 'Thresholds', text: 'p95 is below 20 ms' },
  { tone: 'doubtful', name: 'Machine', text: 'others used 1.2 of 2 cores' },
  { tone: 'bad', name: 'Thresholds', text: 'p99 is above 30 ms' },
]

test('the checks of a job have the worst of their evidence, and those that need attention are first', () => {
  expect(checksOf({ grounds }).map(({ name, tone, texts }) => [name, tone, texts.length])).toEqual([
    ['Ledger', 'bad', 2],
    ['Thresholds', 'bad', 2],
    ['Machine', 'doubtful', 1],
    ['Counts', 'good', 1],
    ['Load', 'plain', 1],
  ])
  expect(checksOf({})).toEqual([])
})

test('badges open and close explanations, and those that need attention are open', async () => {
  const app = mount(Grounds, { target: document.body, props: { job: { grounds } as Job } })
  const badge = (name: string): HTMLButtonElement => {
    const found = [...document.querySelectorAll('button')].find((button) => button.textContent.includes(name))
    if (found === undefined) throw new Error(`there is no badge ${name}`)
    return found
  }
  const text = (): string => document.querySelector('.ground')?.textContent ?? ''
  expect(badge('Counts').textContent.trim()).toBe('✓Counts: ok')
  expect(text()).toContain('order 4711')
  expect(text()).not.toContain('new orders agree')
  badge('Counts').click()
  badge('Ledger').click()
  flushSync()
  expect(text()).toContain('new orders agree')
  expect(text()).not.toContain('order 4711')
  expect([badge('Counts').ariaExpanded ?? badge('Counts').getAttribute('aria-expanded'), badge('Ledger').getAttribute('aria-expanded')]).toEqual(['true', 'false'])
  await unmount(app)
})
