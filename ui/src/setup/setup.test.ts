import { expect, test } from 'vitest'
import { mistakesOf, type Option, type Options } from './api.ts'
import { usual } from './choices.ts'
import { connectionValues, differs, limitsOf, partsOf, sentence, settingsOf } from './form.ts'

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
