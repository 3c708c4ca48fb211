import { expect, test } from 'vitest'
import { Setup } from '../setup.svelte.ts'
import { copyName, isSaved } from './saved.ts'
import { fieldOf, instant, toSchedules } from './schedules.ts'

test('a copy has a name that is not taken and not too long', () => {
  expect(copyName('nightly', ['nightly'])).toBe('nightly (copy)')
  expect(copyName('nightly', ['Nightly (Copy)', 'nightly (copy 2)'])).toBe('nightly (copy 3)')
  const long = copyName('😀'.repeat(100), [])
  expect([...long].length).toBe(100)
  expect(long).toMatch(/^😀+ \(copy\)$/u)
})

test('a set-up is saved until one of its settings changes, whatever its passwords are', () => {
  const setup = new Setup()
  const saved = { settings: { db: 'postgresql', workload: 'tprocc', connection: 'lab', users: '8' } }
  setup.open(7, saved.settings)
  expect(isSaved(setup, saved)).toBe(true)
  setup.setSecret('password', 'planted')
  expect(isSaved(setup, saved)).toBe(true)
  for (const change of [() => setup.set('users', '9'), () => setup.set('users', undefined), () => setup.set('rampup', '2m'), () => setup.connect(''), () => setup.choose('sqlite', 'tprocc')]) {
    setup.open(7, saved.settings)
    change()
    expect(isSaved(setup, saved)).toBe(false)
  }
})

test('a schedule starts once at a time of the zone that the user has chosen', () => {
  expect(instant('2026-11-27T02:00', false)).toBe('2026-11-27T02:00:00.000Z')
  expect(instant('2026-11-27T02:00', true)).toBe(new Date(2026, 10, 27, 2).toISOString())
  for (const local of [false, true]) expect(fieldOf(instant('2026-11-27T02:00', local), local)).toBe('2026-11-27T02:00')
  expect(toSchedules(7)).toBe('#/setup/schedules?setup=7')
})
