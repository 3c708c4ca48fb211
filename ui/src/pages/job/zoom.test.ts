import { expect, test } from 'vitest'
import { between, closer, earlier, later, wider, type Part } from './zoom.ts'

const whole: Part = { from: 0, until: 90_000 }

test('zooming keeps the middle of the part, and stays within the run', () => {
  const third = closer(whole, whole)
  expect(third).toEqual({ from: 30_000, until: 60_000 })
  expect(closer(third, whole)).toEqual({ from: 40_000, until: 50_000 })
  expect(closer({ from: 40_000, until: 50_000 }, whole)).toEqual({ from: 40_000, until: 50_000 })
  expect(wider(third, whole)).toEqual(whole)
  expect(wider({ from: 0, until: 10_000 }, whole)).toEqual({ from: 0, until: 30_000 })
})

test('moving shifts by half a part, and stays within the run', () => {
  const part = { from: 30_000, until: 60_000 }
  expect(earlier(part, whole)).toEqual({ from: 15_000, until: 45_000 })
  expect(later(later(later(part, whole), whole), whole)).toEqual({ from: 60_000, until: 90_000 })
})

test('a run shorter than the shortest part is shown whole', () => {
  const short = { from: 5000, until: 9000 }
  expect(closer(short, short)).toEqual(short)
})

test('dragging selects a part, but not one shorter than the shortest', () => {
  const run: Part = { from: 1_000_000, until: 1_090_000 }
  expect(between(20, 50, run)).toEqual({ from: 1_020_000, until: 1_050_000 })
  expect(between(88, 95, run)).toEqual({ from: 1_080_000, until: 1_090_000 })
})
