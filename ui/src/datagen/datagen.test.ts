import { expect, test } from 'vitest'
import { wantedOf, wrongIn } from './form.ts'

const form = { database: 'pg', workload: 'w', folder: ' rows ', overwrite: false, values: {} }

test('how much there is goes among the settings, and how it is written beside them', () => {
  expect(wantedOf({ ...form, values: { warehouses: '10', seed: '7', format: 'csv', header: 'true', workers: '4' } })).toEqual({
    folder: 'rows',
    settings: { db: 'pg', workload: 'w', warehouses: '10', seed: '7' },
    format: 'csv',
    header: true,
    workers: 4,
  })
})

test('without a database none is named, and only who asks for it replaces files', () => {
  expect(wantedOf({ ...form, database: '' })).toEqual({ folder: 'rows', settings: { workload: 'w' } })
  expect(wantedOf({ ...form, overwrite: true })['overwrite']).toBe(true)
})

test('an invalid number is sent as it is, so that the server names the error', () => {
  expect(wantedOf({ ...form, values: { workers: 'many', parts: '-1' } })).toMatchObject({ workers: 'many', parts: -1 })
})

test('mistakes stand at their fields', () => {
  const problem = { type: 'about:blank', title: '', status: 422, detail: 'wrong' }
  expect(wrongIn({ ...problem, mistakes: [{ where: 'body.settings.warehouses', message: 'a' }, { where: 'body.workers', message: 'b' }] })).toEqual({ warehouses: 'a', workers: 'b' })
  expect(wrongIn({ ...problem, option: 'folder' })).toEqual({ folder: 'wrong' })
  expect(wrongIn(problem)).toEqual({ '': 'wrong' })
})
