// Numbers and times as the command line writes them (internal/report/format.go and text.go),
// so that a run does not have 0.0714 s in one place and 71 ms in another.

import type { Job, Metric } from './api/types.ts'
import { times } from './times.svelte.ts'

const whole = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0, roundingMode: 'trunc' })
const hundredths = new Intl.NumberFormat('en-US', { maximumFractionDigits: 2, roundingMode: 'trunc' })

/** The text for a missing value. */
export const nothing = '–'

/** A count with commas. */
export function count(n: number): string {
  return whole.format(n)
}

/** A count with its noun: "1 user", "1,024 users". */
export function plural(n: number, one: string, many = `${one}s`): string {
  return `${count(n)} ${n === 1 ? one : many}`
}

/** A headline figure without its unit; with a fraction only if it is small. */
function number(value: number): string {
  return value >= 100 ? whole.format(value) : hundredths.format(value)
}

/** A measured value with at least three digits. */
export function written(value: number | null | undefined): string {
  if (value === null || value === undefined) return nothing
  if (value >= 1000) return count(Math.round(value))
  return value >= 100 ? value.toFixed(1) : value >= 1 || value === 0 ? value.toFixed(2) : value.toPrecision(3)
}

/** The value of a headline figure, with its unit if it has one: "17,052", "0.1109 s". */
export function figure(m: Metric): string {
  if (!m.unit) return number(m.value)
  const digits = Math.max(0, 3 - Math.floor(Math.log10(Math.max(m.value, 1e-9)))) // four significant digits
  const scale = 10 ** digits
  const rounded = Math.round(m.value * scale) / scale
  return `${rounded.toLocaleString('en-US', { maximumFractionDigits: Math.min(digits, 20) })} ${m.unit}`
}

/** A headline figure in a list: a count has no fraction, unless it is small. */
export function short(m: Metric): string {
  return !m.unit && m.value >= 10 ? count(m.value) : figure(m)
}

/** The first figure of a job, or of each of its groups, by whose names the figures begin. */
export function headline(job: { metrics?: Metric[] | null; groups?: { name: string }[] | null }): string {
  const metrics = job.metrics ?? []
  const first = job.groups?.length ? job.groups.map(({ name }) => metrics.find((metric) => metric.name.startsWith(`${name}.`))) : metrics.slice(0, 1)
  return first.flatMap((metric) => (metric === undefined ? [] : [`${short(metric)} ${metric.name}`])).join(', ')
}

/** Milliseconds with three significant digits, or all digits of whole milliseconds. */
export function millis(ms: number | undefined): string {
  if (ms === undefined) return nothing
  if (ms >= 100) return ms.toFixed(0)
  const rounded = Number(ms.toPrecision(3))
  if (rounded === 0) return '0'
  return rounded.toFixed(Math.max(0, 2 - Math.floor(Math.log10(rounded))))
}

/** Seconds of a query, with at least three digits. */
export function seconds(s: number): string {
  if (s >= 100) return s.toFixed(0)
  if (s >= 10) return s.toFixed(1)
  if (s >= 1) return s.toFixed(2)
  return s.toFixed(4)
}

/** A duration in seconds as text: "5 min", "12.5 s". */
export function spell(duration: number): string {
  if (duration < 60) {
    return `${Number(duration.toFixed(duration >= 10 ? 1 : 2))} s`
  }
  const rounded = Math.round(duration)
  const parts: string[] = []
  if (rounded >= 3600) parts.push(`${Math.floor(rounded / 3600)} h`)
  if (rounded % 3600 >= 60) parts.push(`${Math.floor((rounded % 3600) / 60)} min`)
  if (rounded % 60 > 0) parts.push(`${rounded % 60} s`)
  return parts.join(' ')
}

/**
 * A moment to the second, in the zone that the user has chosen: "2026-11-22 22:04:42". Headers name the zone; in a
 * sentence, use stamp.
 */
export function moment(time: string | number | undefined): string {
  if (time === undefined) return nothing
  const at = new Date(time)
  if (Number.isNaN(at.getTime())) return ''
  return new Date(at.getTime() + times.ahead(at) * 60_000).toISOString().slice(0, 19).replace('T', ' ')
}

/** The time of day of a moment: "22:04:42". */
export function timeOfDay(time: string | number | undefined): string {
  return moment(time).slice(11)
}

/** The day of a moment: "2026-11-22". */
export function day(time: string): string {
  return moment(time).slice(0, 10)
}

/** The time since a moment of the last day: "5 min ago", "3 h ago"; otherwise ''. */
export function ago(time: string | undefined, now: number): string {
  const minutes = Math.floor((now - Date.parse(time ?? '')) / 60_000)
  if (!(minutes >= 0 && minutes < 24 * 60)) return '' // also if there is no time
  if (minutes === 0) return 'just now'
  return minutes < 60 ? `${minutes} min ago` : `${Math.floor(minutes / 60)} h ago`
}

/** A moment with its zone: "2026-11-22 22:04:42 UTC", "2026-11-22 23:04:42 UTC+1". */
export function stamp(time: string | number | undefined): string {
  const said = moment(time)
  return said === nothing || said === '' ? said : `${said} ${offsetOf(new Date(time ?? 0))}`
}

/** The offset of the chosen zone at a moment: "UTC", "UTC+1", "UTC−3:30". */
function offsetOf(at: Date): string {
  const ahead = times.ahead(at)
  if (ahead === 0) return 'UTC'
  const minutes = Math.abs(ahead) % 60
  return `UTC${ahead < 0 ? '−' : '+'}${Math.floor(Math.abs(ahead) / 60)}${minutes === 0 ? '' : `:${String(minutes).padStart(2, '0')}`}`
}

/** The chosen zone, for headers: "begun (UTC)", "begun (local time)". */
export function zone(): string {
  return times.choice === 'local' ? 'local time' : 'UTC'
}

/** The seconds from one moment to another, or undefined if one of them is missing. */
export function between(from: string | undefined, to: string | undefined): number | undefined {
  if (from === undefined || to === undefined) return undefined
  return (Date.parse(to) - Date.parse(from)) / 1000
}

/**
 * How long a job took; undefined if it is unknown. For a run it is the time from its start to its end, because its
 * recorded time is only the measured time.
 */
export function tookOf(job: Pick<Job, 'action' | 'begun' | 'ended' | 'elapsed_seconds'>): number | undefined {
  const whole = between(job.begun, job.ended)
  const took = job.action === 'run' ? whole : job.elapsed_seconds || whole
  return took === undefined || took < 0 ? undefined : took
}

/** A size in bytes, in powers of 1,000 as disks are sold: "25 GB". */
export function bytes(n: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB', 'PB']
  let value = n
  let unit = 0
  while (value >= 1000 && unit < units.length - 1) {
    value /= 1000
    unit++
  }
  return `${value < 10 && unit > 0 ? value.toFixed(1) : value.toFixed(0)} ${units[unit] ?? ''}`
}

/** A time as minutes and seconds: "1:05", "1:00:05". */
export function clock(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds))
  const two = (n: number): string => String(n).padStart(2, '0')
  const minutes = Math.floor(whole / 60)
  return minutes < 60 ? `${minutes}:${two(whole % 60)}` : `${Math.floor(minutes / 60)}:${two(minutes % 60)}:${two(whole % 60)}`
}
