import { expect, test } from 'vitest'
import { wantedOf, wrongIn } from './form.ts'

const form = { database: 'pg', workload: 'w', folder: ' rows ', overwrite: false, values: {} }

test('options of the rows become settings, and those of the files become members of the request', () => {
  expect(wantedOf({ ...form, values: { warehouses: '10', seed: '7', format: 'csv', header: 'true', workers: '4' } })).toEqual({
    folder: 'rows',
    settings: { db: 'pg', workload: 'w', warehouses: '10', seed: '7' },
    format: 'csv',
    header: true,
    workers: 4,
  })
})

test('a request names no database unless one is chosen, and replaces files only on request', () => {
  expect(wantedOf({ ...form, database: '' })).toEqual({ folder: 'rows', settings: { workload: 'w' } })
  expect(wantedOf({ ...form, overwrite: true })['overwrite']).toBe(true)
})

test('an invalid number is sent unchanged, so that the server names the error', () => {
  expect(wantedOf({ ...form, values: { workers: 'many', parts: '-1' } })).toMatchObject({ workers: 'many', parts: -1 })
})

test('mistakes are assigned to their fields', () => {
  const problem = { type: 'about:blank', title: '', status: 422, detail: 'wrong' }
  expect(wrongIn({ ...problem, mistakes: [{ where: 'body.settings.warehouses', message: 'a' }, { where: 'body.workers', message: 'b' }] })).toEqual({ warehouses: 'a', workers: 'b' })
  expect(wrongIn({ ...problem, option: 'folder' })).toEqual({ folder: 'wrong' })
  expect(wrongIn(problem)).toEqual({ '': 'wrong' })
})
