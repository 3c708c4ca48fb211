import { expect, test } from 'vitest'
import { movedBy } from './tiles.ts'

test('tiles move by one place, and not beyond the ends', () => {
  expect(movedBy(['a', 'b', 'c'], 0, 1)).toEqual(['b', 'a', 'c'])
  expect(movedBy(['a', 'b', 'c'], 2, -1)).toEqual(['a', 'c', 'b'])
  expect(movedBy(['a', 'b', 'c'], 0, -1)).toEqual(['a', 'b', 'c'])
  expect(movedBy(['a', 'b', 'c'], 2, 1)).toEqual(['a', 'b', 'c'])
})
