import { expect, test } from 'vitest'
import { between, closer, earlier, later, wider, type Part } from './zoom.ts'

const whole: Part = { from: 0, until: 90_000 }

test('a part becomes smaller and larger around its middle, and stays within the run', () => {
  const third = closer(whole, whole)
  expect(third).toEqual({ from: 30_000, until: 60_000 })
  expect(closer(third, whole)).toEqual({ from: 40_000, until: 50_000 })
  expect(closer({ from: 40_000, until: 50_000 }, whole)).toEqual({ from: 40_000, until: 50_000 })
  expect(wider(third, whole)).toEqual(whole)
  expect(wider({ from: 0, until: 10_000 }, whole)).toEqual({ from: 0, until: 30_000 })
})

test('a part moves by half, and no farther than the run goes', () => {
  const part = { from: 30_000, until: 60_000 }
  expect(earlier(part, whole)).toEqual({ from: 15_000, until: 45_000 })
  expect(later(later(later(part, whole), whole), whole)).toEqual({ from: 60_000, until: 90_000 })
})

test('a run shorter than the least that is looked at is shown whole', () => {
  const short = { from: 5000, until: 9000 }
  expect(closer(short, short)).toEqual(short)
})

test('what was drawn across becomes the part, and no less than single seconds', () => {
  const run: Part = { from: 1_000_000, until: 1_090_000 }
  expect(between(20, 50, run)).toEqual({ from: 1_020_000, until: 1_050_000 })
  expect(between(88, 95, run)).toEqual({ from: 1_080_000, until: 1_090_000 })
})
