import { expect, test, vi } from 'vitest'
import { ago, between, bytes, count, day, figure, headline, millis, moment, plural, seconds, short, spell, stamp, timeOfDay, tookOf, zone } from './format.ts'
import { times } from './times.svelte.ts'

test('counts have commas and no fraction', () => {
  expect(count(1234567)).toBe('1,234,567')
  expect(count(4299.99)).toBe('4,299') // like the command line, which does not round counts up
  expect(count(0)).toBe('0')
})

// The output of sledge jobs show for these values.
test.each([
  [{ name: 'composite', value: 4299.007716982794 }, '4,299', '4,299'],
  [{ name: 'geometric mean', value: 0.11094798723208951, unit: 's' }, '0.1109 s', '0.1109 s'],
  [{ name: 'geometric mean', value: 0.0713706327036956, unit: 's' }, '0.07137 s', '0.07137 s'],
  [{ name: 'power', value: 81.529, unit: '' }, '81.52', '81'],
  [{ name: 'power', value: 9.876 }, '9.87', '9.87'],
  [{ name: 'limit', value: 0, unit: 's' }, '0 s', '0 s'],
])('the figure of %o is %s, in lists %s', (metric, whole, inLists) => {
  expect(figure(metric)).toBe(whole)
  expect(short(metric)).toBe(inLists)
})

test('the headline has the first figure of each group', () => {
  const metrics = ['orders.NOPM', 'orders.TPM', 'reads.QPM'].map((name, i) => ({ name, value: 100 * (i + 1) }))
  expect(headline({ metrics, groups: [{ name: 'orders' }, { name: 'reads' }] })).toBe('100 orders.NOPM, 300 reads.QPM')
  expect(headline({ metrics })).toBe('100 orders.NOPM')
  expect(headline({})).toBe('')
})

test.each([
  [0.000001, '0.00000100'],
  [0, '0'],
  [0.934, '0.934'],
  [1, '1.00'],
  [9.999, '10.0'],
  [13.54, '13.5'],
  [99.96, '100'],
  [140.4, '140'],
  [1234.5, '1235'],
  [undefined, '–'],
])('%s milliseconds are %s', (ms, want) => {
  expect(millis(ms)).toBe(want)
})

test.each([
  [0.0108, '0.0108'],
  [1.5, '1.50'],
  [12.34, '12.3'],
  [123.4, '123'],
])('%s seconds of a query are %s', (s, want) => {
  expect(seconds(s)).toBe(want)
})

test.each([
  [0.25, '0.25 s'],
  [7.0389, '7.04 s'],
  [12.5, '12.5 s'],
  [59.96, '60 s'],
  [60, '1 min'],
  [300, '5 min'],
  [3661, '1 h 1 min 1 s'],
  [86400, '24 h'],
])('%s seconds are written as %s', (s, want) => {
  expect(spell(s)).toBe(want)
})

test('times are in UTC and to the second, unless the user has chosen local time', () => {
  expect(moment('2026-11-23T01:08:44.92Z')).toBe('2026-11-23 01:08:44')
  expect(moment(Date.UTC(2026, 10, 23, 1, 8, 44))).toBe('2026-11-23 01:08:44')
  const begun = '2026-11-23T01:08:44Z'
  expect([-1, 0, 59, 60, 3599, 3600, 86_399, 86_400].map((seconds) => ago(begun, Date.parse(begun) + 1000 * seconds))).toEqual(['', 'just now', 'just now', '1 min ago', '59 min ago', '1 h ago', '23 h ago', ''])
  expect([ago(undefined, 0), ago('', 0)]).toEqual(['', ''])
  expect([stamp('2026-11-23T01:08:44Z'), stamp(undefined), timeOfDay('2026-11-23T01:08:44Z'), moment('')]).toEqual(['2026-11-23 01:08:44 UTC', '–', '01:08:44', ''])
  expect(zone()).toBe('UTC')
  times.choose('local')
  for (const [ahead, said, offset] of [[60, '2026-11-24 00:30:00', 'UTC+1'], [-210, '2026-11-23 20:00:00', 'UTC−3:30'], [0, '2026-11-23 23:30:00', 'UTC']] as const) {
    const clock = vi.spyOn(Date.prototype, 'getTimezoneOffset').mockReturnValue(-ahead)
    expect(stamp('2026-11-23T23:30:00Z')).toBe(`${said} ${offset}`)
    expect(day('2026-11-23T23:30:00Z')).toBe(said.slice(0, 10))
    clock.mockRestore()
  }
  expect(zone()).toBe('local time')
  times.choose('utc')
  expect(moment('2026-11-23T01:08:44Z')).toBe('2026-11-23 01:08:44')
  expect(moment(undefined)).toBe('–')
  expect(day('2026-11-23T01:08:44Z')).toBe('2026-11-23')
  expect(between('2026-11-23T01:08:44Z', '2026-11-23T01:09:45.5Z')).toBe(61.5)
  expect(between('2026-11-23T01:08:44Z', undefined)).toBeUndefined()
})

test('sizes have the largest unit that fits', () => {
  expect(bytes(999)).toBe('999 B')
  expect(bytes(25276510208)).toBe('25 GB')
  expect(bytes(1234567)).toBe('1.2 MB')
})

test('how long a job took is the same on every page', () => {
  const job = { action: 'build', begun: '2026-11-23T10:00:00.000Z', ended: '2026-11-23T10:00:01.180Z', elapsed_seconds: 1.174 }
  expect(tookOf(job)).toBe(1.174)
  expect(tookOf({ ...job, action: 'run' })).toBe(1.18) // elapsed_seconds is only the measured time
  expect(tookOf({ ...job, elapsed_seconds: 0 })).toBe(1.18)
  expect(tookOf({ action: 'run', begun: job.begun, ended: '0001-01-01T00:00:00Z' })).toBeUndefined()
})

test('a count has the singular of its noun only for one', () => {
  expect([plural(0, 'user'), plural(1, 'user'), plural(1024, 'user'), plural(1, 'query', 'queries'), plural(2, 'query', 'queries')]).toEqual(['0 users', '1 user', '1,024 users', '1 query', '2 queries'])
})
