import { expect, test } from 'vitest'
import type { Job } from '../api/types.ts'
import { fileBeside } from '../setup/tryout.ts'
import { changes, percentOf } from './change.ts'
import { differenceOf, equalsOf, labelsOf, lowerIsBetter, namesOf, repeatsOf, sureOf } from './comparison.ts'
import { codeOf, piecesOf } from './pieces.ts'
import { curveOf } from './sparkline.ts'

test('a path wraps after its slashes, and a date does not wrap', () => {
  const texts = (text: string): string[] => piecesOf(text).map((piece) => piece.text)
  expect(texts('/srv/sledge/jobs.db')).toEqual(['/srv/', 'sledge/', 'jobs.db'])
  expect(texts('http://127.0.0.1:8080/')).toEqual(['http://127.0.0.1:8080/'])
  expect(piecesOf('16552 on vm, since 2026-11-23 11:06:52 UTC').filter((piece) => piece.whole)).toEqual([{ text: '2026-11-23', whole: true }])
  expect(texts('16552 on vm, since 2026-11-23 11:06:52 UTC').join('')).toBe('16552 on vm, since 2026-11-23 11:06:52 UTC')
  expect(texts('')).toEqual([])
})

test('a flag does not wrap at its hyphens, and long code wraps only at spaces', () => {
  const whole = (code: string): string[] => codeOf(code).filter((part) => part.whole).map((part) => part.text)
  expect(whole('--all-databases')).toEqual(['--all-databases'])
  expect(whole('--log FILE')).toEqual(['--log FILE'])
  expect(whole('sledge watch --db pg --dbname sbt')).toEqual(['sledge', 'watch', '--db', 'pg', '--dbname', 'sbt'])
  expect(whole('x'.repeat(60))).toEqual([])
  expect(codeOf('a  --flag of more than a few words').map((part) => part.text).join('')).toBe('a  --flag of more than a few words')
})

test('a run is compared with the one before it that had the same set-up', () => {
  const run = (id: string, value: number, more: Partial<Job> = {}): Job => ({ id, schema: 'sledge-job-3', action: 'run', database: 'sqlite', workload: 'tprocc', status: 'succeeded', users: 2, seed: 1, options: { duration: '20s' }, metrics: [{ name: 'NOPM', value }], ...more }) as Job
  const found = changes([run('6', 110), run('5', 1, { status: 'partial' }), run('4', 50, { users: 4 }), run('3', 100), run('2', 7, { options: {} }), run('1', 80)])
  expect([...found]).toEqual([
    ['6', { percent: expect.closeTo(10, 9) as number, before: '3' }],
    ['3', { percent: expect.closeTo(25, 9) as number, before: '1' }],
  ])
  expect([4.14, -3.02, 250, 0.04, -0.04].map(percentOf)).toEqual(['+4.1 %', '−3.0 %', '+250 %', '0.0 %', '0.0 %'])
})

test('a difference is more than noise if the ranges of equal runs do not overlap', () => {
  const of = (runs: number, least: number, most: number) => ({ runs, least, most, median: least, figure: 'NOPM' })
  const sure = (...repeats: ReturnType<typeof of>[]): string => sureOf({ repeats }, 1)
  expect([sure(of(3, 100, 110), of(4, 120, 130)), sure(of(3, 100, 110), of(3, 105, 130)), sure(of(3, 100, 110), of(2, 120, 130)), sure()]).toEqual(['more', 'noise', 'unknown', 'unknown'])
  expect(repeatsOf({ repeats: [of(3, 1000, 1100)] }, 0)).toBe('one of 3 runs with the same options: NOPM from 1,000 to 1,100, median 1,000')
  expect(labelsOf([{ name: 'label kernel', values: ['6.11', '6.12'] }, { name: 'users', values: ['1', '2'] }], 2)).toEqual(['6.11', '6.12'])
  expect([differenceOf(1.04), differenceOf(null)]).toEqual(['+4.0 %', ''])
})

test('a curve begins at 0, and one rate makes none', () => {
  expect([curveOf([0, 50, 100]), curveOf([5]), curveOf([0, 0])]).toEqual(['0.0,20.0 48.0,11.0 96.0,2.0', '', ''])
})

test('the file of a first test stands beside the job repository', () => {
  expect(['/srv/sledge/jobs.db', 'C:\\sledge\\jobs.db', 'jobs.db'].map(fileBeside)).toEqual(['/srv/sledge/sledge-try.sqlite', 'C:\\sledge\\sledge-try.sqlite', 'sledge-try.sqlite'])
})

test('compared runs have names that differ, and their equal settings are listed', () => {
  const names = (users: number[], labels: string[], begun = ['2026-11-22T09:00:00Z', '2026-11-22T10:00:00Z']) =>
    namesOf({
      runs: users.map((each, i) => ({ id: `${i}AAAAAAAAAAAAAAAA`, begun: begun[i] ?? '', database: 'sqlite', workload: 'tprocc', users: each, status: 'succeeded', elapsed_seconds: 1 })),
      differences: [
        ...(labels[0] === labels[1] ? [] : [{ name: 'label kernel', values: labels }]),
        ...(users[0] === users[1] ? [] : [{ name: 'users', values: users.map(String) }]),
      ],
    })
  expect(names([1, 8], ['6.11', '6.12'])).toEqual(['6.11, 1 user', '6.12, 8 users'])
  expect(names([8, 8], ['6.11', '6.12'])).toEqual(['6.11', '6.12'])
  expect(names([8, 8], ['6.11', 'not set'])).toEqual(['6.11', '2026-11-22 10:00:00'])
  expect(names([8, 8], ['', ''])).toEqual(['2026-11-22 09:00:00', '2026-11-22 10:00:00'])
  expect(names([8, 8], ['', ''], ['2026-11-22T09:00:00Z', '2026-11-22T09:00:00Z'])).toEqual(['0AAAAAAAAAAA', '1AAAAAAAAAAA'])
  const of = (more: Partial<Job>) => ({ database: 'sqlite', workload: 'tprocc', users: 8, seed: 1, options: { duration: '20s' }, labels: { kernel: '6.11' }, ...more }) as Job
  expect(equalsOf([of({}), of({ seed: 2, labels: {}, options: { duration: '20s', rampup: '1s' } })]).map(({ name, value }) => `${name} ${value}`)).toEqual(['duration 20s', 'database sqlite', 'workload tprocc', 'users 8'])
  expect([undefined, 's', 'ms', 'µs a transaction', 'a minute'].map(lowerIsBetter)).toEqual([false, true, true, true, false])
})
