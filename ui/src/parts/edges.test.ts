import { expect, test } from 'vitest'
import { edgesOf } from './edges.ts'

test('an edge hides content until the box is scrolled there', () => {
  const box = { scrollLeft: 0, scrollTop: 0, scrollWidth: 900, scrollHeight: 600, clientWidth: 360, clientHeight: 300 }
  expect(edgesOf(box)).toBe('right below')
  expect(edgesOf({ ...box, scrollLeft: 540 })).toBe('below')
  expect(edgesOf({ ...box, scrollLeft: 539.5, scrollTop: 300 })).toBe('')
  expect(edgesOf({ ...box, clientWidth: 900, clientHeight: 600 })).toBe('')
})
