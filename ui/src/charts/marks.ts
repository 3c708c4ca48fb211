// What is marked on the axis of time of a run's charts: events of the run, and users' notes.

import type { Marker, Note, Phase } from '../api/types.ts'
import { clock } from '../format.ts'
import type { Gap } from './chart.ts'

export interface Mark {
  /** Identifies it over new data. */
  key: string
  /** Its name in the charts: a letter for an event, a number for a note. */
  sign: string
  /** In seconds since the run began. */
  from: number
  /** Equal to from for a moment. */
  until: number
  text: string
  /** Missing for an event. */
  note?: Note
}

/** How far behind the last point an event may be drawn at the end of the axis, in seconds. */
const behindTheEnd = 2

/** What the beginning of a phase means. */
const beginnings: Record<string, string> = {
  'log in': 'Asynchronous clients begin to log in',
  'ramp-up': 'The ramp-up begins',
  measure: 'The measured time begins',
  finish: 'The measured time is over',
}

/** A letter for each number from 0: A to Z, AA, AB. */
export function lettered(n: number): string {
  return (n < 26 ? '' : lettered(Math.floor(n / 26) - 1)) + String.fromCodePoint(65 + (n % 26))
}

/**
 * The marks of a run whose axis ends at a time, in order. The beginning of the first phase is that of the axis, and
 * events after the end have no place on it.
 */
export function marksOf(phases: readonly Phase[], markers: readonly Marker[], notes: readonly Note[], end: number): Mark[] {
  const begun = phases.filter(({ from_seconds }) => from_seconds > 0).map(({ name, stage, from_seconds }) => ({ at: from_seconds, text: stage ? `${beginnings[name] ?? name}: ${stage}` : (beginnings[name] ?? name) }))
  const events = [...begun, ...markers.map(({ at_seconds, text }) => ({ at: at_seconds, text }))]
    .filter(({ at }) => at <= end + behindTheEnd)
    .sort((a, b) => a.at - b.at)
    .map(({ at, text }, i): Mark => ({ key: `event ${i}`, sign: lettered(i), from: Math.min(at, end), until: Math.min(at, end), text }))
  const own = notes.map((note, i): Mark => ({ key: `note ${note.number}`, sign: String(i + 1), from: note.from_seconds, until: note.until_seconds, text: note.text, note }))
  return [...events, ...own].sort((a, b) => a.from - b.from)
}

/** A time of a run: "1:05", or "1:05.3" between two seconds. */
export function timeText(seconds: number): string {
  const tenths = Math.round(seconds * 10)
  return clock(Math.floor(tenths / 10)) + (tenths % 10 === 0 ? '' : `.${tenths % 10}`)
}

/** The seconds of a time that a user wrote as "65.3", "1:05.3" or "1:01:05"; undefined if it is invalid. */
export function secondsOf(text: string): number | undefined {
  const parts = text.trim().split(':')
  if (parts.length > 3 || !parts.every((part, i) => (i === parts.length - 1 ? /^\d+(\.\d+)?$/ : /^\d+$/).test(part))) return undefined
  return parts.reduce((sum, part) => 60 * sum + Number(part), 0)
}

/** The time of a mark in words. */
export function placeOf(mark: Pick<Mark, 'from' | 'until'>): string {
  return mark.until > mark.from ? `${timeText(mark.from)} to ${timeText(mark.until)}` : timeText(mark.from)
}

/** The gaps of a chart in a sentence, the longest first. */
export function gapsText(gaps: readonly Gap[]): string {
  const few = 3
  const longest = [...gaps].sort((a, b) => b.until - b.from - (a.until - a.from))
  const words = longest.slice(0, few).map((gap) => `${gap.line === undefined ? '' : `${gap.line} `}${placeOf(gap)}: ${gap.why}`)
  return words.join('; ') + (longest.length > few ? `; and ${longest.length - few} more` : '')
}

/** Marks whose signs would cover each other, at the place of the first in pixels. */
export interface Cluster {
  left: number
  /** "C", or "C–F". */
  sign: string
  marks: Mark[]
}

/** The signs of marks at places in pixels; a place is undefined outside the shown part. */
export function clustered(marks: readonly Mark[], leftOf: (mark: Mark) => number | undefined, wide: number): Cluster[] {
  const clusters: Cluster[] = []
  for (const mark of marks) {
    const left = leftOf(mark)
    if (left === undefined) continue
    const last = clusters.at(-1)
    if (last !== undefined && left - last.left < wide * Math.min(last.marks.length, 2)) {
      last.marks.push(mark)
      last.sign = `${last.marks[0]?.sign ?? ''}–${mark.sign}`
    } else clusters.push({ left, sign: mark.sign, marks: [mark] })
  }
  return clusters
}
