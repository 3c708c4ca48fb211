import { flushSync, mount, unmount } from 'svelte'
import { expect, test } from 'vitest'
import type { Job } from '../api/types.ts'
import { mistakesOf, type Option, type Options } from './api.ts'
import { usual } from './choices.ts'
import { buildTime, room, runTime } from './estimate.ts'
import { connectionValues, differs, divide, limitsOf, partsOf, secondsOf, sentence, settingsOf } from './form.ts'
import OptionField from './OptionField.svelte'

function option(name: string, form: string, more: Partial<Option> = {}): Option {
  return { name, form, kind: 'string', default: 'usual', help: `what ${name} is`, group: form, key: `x_${name}`, label: name, limits: 'text', ...more }
}

const all: Options = {
  schema: 'sledge-options-2',
  database: 'd',
  workload: 'w',
  forms: [
    { name: 'connection', title: 'Connection' },
    { name: 'driver', title: 'Driver' },
    { name: 'advanced', title: 'Advanced' },
  ],
  options: [option('host', 'connection'), option('password', 'connection', { secret: true }), option('slow', 'driver'), option('rampup', 'driver', { main: true, unit: 'minutes' })],
}

test('a form has parts with the most common options first, and counts the options that differ', () => {
  const parts = partsOf(all, { host: 'db1', slow: 'usual' }, { password: 'x' })
  expect(parts.map((part) => [part.name, part.differ, ...part.options.map((each) => each.name)])).toEqual([
    ['connection', 2, 'host', 'password'],
    ['driver', 0, 'rampup', 'slow'],
  ])
})

test('options are found by their names, keys and meaning, or by whether they differ', () => {
  expect(partsOf(all, {}, {}, 'X_RAMP').flatMap((part) => part.options.map((each) => each.name))).toEqual(['rampup'])
  expect(partsOf(all, { host: 'db1' }, {}, '', true).flatMap((part) => part.options.map((each) => each.name))).toEqual(['host'])
  expect(differs(option('a', 'driver'), { a: 'usual' }, {})).toBe(false)
})

test('a connection has only the options of its part', () => {
  expect(connectionValues(all, { host: 'db1', rampup: '2', users: '8' })).toEqual({ host: 'db1' })
})

test('an action gets only the options that apply to it, so that mistakes in others do not prevent it', () => {
  const options = [option('warehouses', 'schema', { actions: ['build'] }), option('rampup', 'driver', { actions: ['run'] }), option('host', 'connection')]
  const settings = { db: 'd', host: 'db1', warehouses: '1', rampup: 'not a time', password: 'x' }
  expect(settingsOf('build', settings, options)).toEqual({ db: 'd', host: 'db1', warehouses: '1', password: 'x' })
  expect(settingsOf('check', settings, options)).toEqual({ db: 'd', host: 'db1', password: 'x' })
})

test('the limits of an option are written as text in a sentence', () => {
  expect(limitsOf('whole number from 1 to 100000')).toBe('a whole number from 1 to 100,000')
  expect(limitsOf('number, at least 0.00001')).toBe('a number, at least 0.00001')
  expect(limitsOf('time such as 500ms or 90s')).toBe('a time such as 500ms or 90s')
  expect(sentence('measured time, in minutes')).toBe('Measured time, in minutes.')
  expect(limitsOf('text')).toBe('text')
  expect(limitsOf('whole number from 0 to 18446744073709551615')).toBe('a whole number from 0 to 18446744073709551615')
  expect(limitsOf('tbl, dbgen, csv, parquet')).toBe('tbl, dbgen, csv, parquet')
})

test('mistakes are assigned to their settings', () => {
  const where = (place: string, message: string) => ({ where: place, message })
  expect(mistakesOf([where('body.settings.port', 'no number'), where('body.settings.port', 'and another'), where('', 'all of it')])).toEqual({ port: 'no number', '': 'all of it' })
})

test('an untested database is the default only if there is no other', () => {
  const db2 = { name: 'db2', title: 'Db2', aliases: [], unproven: 'No test has run on it.' }
  const pg = { name: 'pg', title: 'PostgreSQL', aliases: [] }
  expect([usual([db2, pg]), usual([db2]), usual([])]).toEqual(['pg', 'db2', ''])
})

test('a form begins with the options that people set most, which no other part repeats', () => {
  const { main, others } = divide({ ...all, options: [option('port', 'connection'), ...(all.options ?? [])] })
  const names = (list: Option[] | null | undefined): string[] => (list ?? []).map((each) => each.name)
  expect(Object.values(main).map(names)).toEqual([['host', 'port'], ['password'], [], ['rampup']])
  expect(names(others.options)).toEqual(['slow'])
})

test.each([
  ['2', 120],
  ['0.5', 30],
  ['10s', 10],
  ['1h2m3.5s', 3723.5],
  ['soon', undefined],
  ['', undefined],
])('the length %s has %s seconds', (text, seconds) => expect(secondsOf(text)).toBe(seconds))

test('a yes or no is a switch, which says what holds and sets the other', async () => {
  let value: string | undefined
  const app = mount(OptionField, { target: document.body, props: { option: option('vacuum', 'driver', { kind: 'bool', default: 'true' }), value, otherwise: 'true', set: (to: string | undefined) => (value = to) } })
  const field = document.querySelector<HTMLInputElement>('input[role=switch]')
  expect(field?.checked).toBe(true)
  expect(document.querySelector(`#${field?.getAttribute('aria-describedby') ?? ''}`)?.textContent).toContain('What vacuum is')
  field?.click()
  flushSync()
  expect(value).toBe('false')
  await unmount(app)
})

test('↺ sets an option back to its default, and is there only for an option that is set', async () => {
  const set: (string | undefined)[] = []
  const show = (value: string | undefined): Record<string, unknown> => mount(OptionField, { target: document.body, props: { option: option('rampup', 'driver'), value, otherwise: '2', set: (to: string | undefined) => set.push(to) } })
  const reset = (): HTMLButtonElement | null => document.querySelector('button[aria-label="Reset rampup"]')
  const changed = show('7')
  reset()?.click()
  expect(set).toEqual([undefined])
  await unmount(changed)
  const unchanged = show(undefined)
  expect([reset(), document.querySelector('input')?.placeholder]).toEqual([null, '2'])
  await unmount(unchanged)
})

const size = option('warehouses', 'schema', { actions: ['build', 'check'], default: '1' })
const built = (warehouses: string, seconds: number, more: Record<string, string> = {}): Job => ({ action: 'build', elapsed_seconds: seconds, options: { warehouses, ...more } }) as unknown as Job

test('the time of a build is that of the one nearest in size with the same options on the same server, in proportion', () => {
  const options = [size, option('builders', 'schema', { actions: ['build'], default: '1' }), option('host', 'connection', { default: 'localhost' })]
  const value = (name: string): string => ({ warehouses: '20', builders: '1', host: 'db1' })[name] ?? ''
  const there = { host: 'db1' }
  expect(buildTime([built('1', 9, there), built('10', 50, there), built('20', 7, { ...there, builders: '8' }), built('20', 8)], options, value)?.seconds).toBe(100)
  expect(buildTime([built('20', 8)], options, value)).toBeUndefined()
})

test('the time of runs is that of the ramp-up and the measured time, or of an earlier run of the same', () => {
  const lasting = [option('rampup', 'driver'), option('duration', 'driver')]
  const value = (of: Record<string, string>) => (name: string): string => of[name] ?? ''
  expect(runTime([], lasting, value({ rampup: '2', duration: '5', driver: 'timed' }), [1, 2])?.seconds).toBe(840)
  expect(runTime([], lasting, value({ rampup: '2', duration: '5', driver: 'test' }), [1])).toBeUndefined()
  expect(runTime([], lasting, value({ rampup: '2', duration: 'soon', driver: 'timed' }), [1])).toBeUndefined()
  const sets = [option('query_sets', 'driver', { actions: ['run'], default: '1' })]
  const run = { action: 'run', users: 2, options: {}, begun: '2026-11-23T04:51:00Z', ended: '2026-11-23T04:52:30Z' } as unknown as Job
  expect([[2], [3]].map((users) => runTime([run], sets, value({ query_sets: '1' }), users)?.seconds)).toEqual([90, undefined])
})

test('the data of a warehouse and of a scale factor have known sizes', () => {
  const of = (n: string) => (): string => n
  expect([room('postgresql', [size], of('10')), room('redis', [size], of('10')), room('postgresql', [option('scale_factor', 'schema')], of('0.1')), room('postgresql', [size], of('many'))]).toEqual([
    '1.0 GB on disk',
    '1.9 GB of memory',
    '100 MB of rows, without indexes',
    '',
  ])
})
