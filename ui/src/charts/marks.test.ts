import { describe, expect, test } from 'vitest'
import type { Note, Phase } from '../api/types.ts'
import { clustered, lettered, marksOf, placeOf, secondsOf, timeText } from './marks.ts'

const phase = (name: Phase['name'], from: number): Phase => ({ name, from_seconds: from, begun: '2026-11-27T09:00:00Z', passed_seconds: 1 })
const note = (number: number, from: number, until = from): Note => ({ number, from_seconds: from, until_seconds: until, text: `note ${number}`, changed: '2026-11-27T09:00:00Z' })

describe('marks of a run', () => {
  test('are letters for events and numbers for notes, in order of time', () => {
    const marks = marksOf([phase('ramp-up', 0), phase('measure', 10), phase('finish', 70.02)], [{ at_seconds: 12.5, kind: 'message', text: 'A connection was lost' }, { at_seconds: 90, kind: 'message', text: 'long after the end' }], [note(7, 11, 20), note(9, 500)], 70)
    expect(marks.map(({ sign, from, until, text }) => [sign, from, until, text])).toEqual([
      ['A', 10, 10, 'The measured time begins'],
      ['1', 11, 20, 'note 7'],
      ['B', 12.5, 12.5, 'A connection was lost'],
      ['C', 70, 70, 'The measured time is over'],
      ['2', 500, 500, 'note 9'],
    ])
  })

  test('have letters beyond Z', () => {
    expect([0, 25, 26, 51, 52, 701, 702].map(lettered)).toEqual(['A', 'Z', 'AA', 'AZ', 'BA', 'ZZ', 'AAA'])
  })

  test('share a sign if theirs would cover each other, and have none outside the shown part', () => {
    const marks = marksOf([], [], [note(1, 1), note(2, 2), note(3, 30), note(4, 300)], 60)
    const clusters = clustered(marks, ({ from }) => (from > 60 ? undefined : from * 10), 20)
    expect(clusters.map(({ left, sign, marks: of }) => [left, sign, of.length])).toEqual([[10, '1–2', 2], [300, '3', 1]])
  })

  test('have times that can be read and written', () => {
    expect(placeOf({ from: 65.3, until: 65.3 })).toBe('1:05.3')
    expect(placeOf({ from: 0, until: 3605 })).toBe('0:00 to 1:00:05')
    for (const seconds of [0, 5, 65.3, 3599.9, 3605]) expect(secondsOf(timeText(seconds))).toBeCloseTo(seconds, 9)
    expect(['90', ' 1:30 ', '1:1:30.5'].map(secondsOf)).toEqual([90, 90, 3690.5])
    for (const wrong of ['', 'soon', '1:', '-1', '1.5:30', '1:2:3:4', 'NaN', '1e3']) expect(secondsOf(wrong)).toBeUndefined()
  })
})
