import { expect, test } from 'vitest'
import { mistakesOf, type Option, type Options } from './api.ts'
import { connectionValues, differs, partsOf } from './form.ts'
import { Pace } from './progress.ts'

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

test('a form has parts, the options that most people set first, and counts what differs', () => {
  const parts = partsOf(all, { host: 'db1', slow: 'usual' }, { password: 'x' })
  expect(parts.map((part) => [part.name, part.differ, ...part.options.map((each) => each.name)])).toEqual([
    ['connection', 2, 'host', 'password'],
    ['driver', 0, 'rampup', 'slow'],
  ])
})

test('options are found by their names, keys and meaning, and those that differ by themselves', () => {
  expect(partsOf(all, {}, {}, 'X_RAMP').flatMap((part) => part.options.map((each) => each.name))).toEqual(['rampup'])
  expect(partsOf(all, { host: 'db1' }, {}, '', true).flatMap((part) => part.options.map((each) => each.name))).toEqual(['host'])
  expect(differs(option('a', 'driver'), { a: 'usual' }, {})).toBe(false)
})

test('a connection has the options of its part alone', () => {
  expect(connectionValues(all, { host: 'db1', rampup: '2', users: '8' })).toEqual({ host: 'db1' })
})

test('mistakes stand at the settings that they are of', () => {
  const problem = { type: 'about:blank', title: '', status: 422, detail: 'all of it' }
  expect(mistakesOf({ ...problem, mistakes: [{ where: 'body.settings.port', message: 'no number' }] })).toEqual({ port: 'no number' })
  expect(mistakesOf({ ...problem, option: 'users' })).toEqual({ users: 'all of it' })
  expect(mistakesOf(problem)).toEqual({ '': 'all of it' })
})

test('progress has a rate and the time that is left, of each table, and forgets them with a new step', () => {
  const pace = new Pace()
  const at = (seconds: number, done: number, step = 'load'): ReturnType<Pace['take']> =>
    pace.take({
      at: new Date(1_700_000_000_000 + seconds * 1000).toISOString(),
      progress: { step, done, total: 1000, unit: 'rows', tables: [{ table: 'stock', done, total: 1000, ready: false }, { table: 'item', done: 5, total: 5, ready: true }] },
    })
  expect(at(0, 0)?.rate).toBeUndefined()
  const later = at(2, 200) // 100 a second, and 800 are left
  expect(later?.rate).toBe(100)
  expect(later?.left).toBe(8)
  expect(later?.tables[0]).toEqual({ table: 'stock', done: 200, total: 1000, ready: false, rate: 100, left: 8 })
  expect(later?.tables[1]?.rate).toBeUndefined()
  expect(at(14, 300)?.rate).toBeUndefined() // what is older than ten seconds says nothing
  expect(at(15, 0, 'indexes')?.left).toBeUndefined()
})
