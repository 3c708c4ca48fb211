// Charts of a run over its time, live and recorded.

import type { Latency, LivePoint, Marker, Rate, Sampled, Series } from '../api/types.ts'
import type { Cell, Gap, HeatChart, Line, LineChart } from './chart.ts'
import { heatColumns, type Column } from './heat.ts'

/**
 * What was measured in a second of a run, or in several. Live points have all members; the seconds of a recorded job
 * lack some.
 */
export interface RunPoint extends Rate, Partial<Pick<LivePoint, 'seconds' | 'figures' | 'service' | 'failed_by_class' | 'retries' | 'cells' | 'users' | 'working' | 'traffic'>> {
  /** Its end, in seconds since the run began. */
  time: number
  /** Nothing was recorded in it. */
  missing?: boolean
}

/** A run's points with what their charts need. */
export interface Run {
  points: readonly RunPoint[]
  /** The start of the axis in seconds since the run began; 0 if missing. */
  from?: number | undefined
  /** The names of the headline figures, in the order of each point's. */
  figures?: string[]
  /** Events of the run, which may explain gaps. */
  markers?: readonly Marker[]
}

/** The name of the axis of time. */
export const axisName = 'time since the run began (s)'

/** A time without points that is longer than this, in seconds, is a gap. Seconds of a run differ by less. */
const longestBetween = 1.5

/** Points that are in their places, because each message about a running job adds only a few. */
const inPlace = new WeakMap<LivePoint, RunPoint>()

/**
 * Points of a live job or of a recorded one, which have their place on the axis of time. Where seconds are missing
 * there is a point without values, so that no line is drawn across.
 */
export function placed(points: readonly LivePoint[]): RunPoint[] {
  return points.flatMap((point, i): RunPoint[] => {
    const one = inPlace.get(point) ?? { ...point, time: point.at_seconds }
    inPlace.set(point, one)
    const before = points[i - 1]
    const begin = point.at_seconds - point.seconds
    if (before === undefined || !(begin - before.at_seconds > longestBetween)) return [one]
    return [{ at: point.at, phase: point.phase, offset_seconds: before.offset_seconds, time: begin, seconds: begin - before.at_seconds, missing: true }, one]
  })
}

/** The beginning of a run by its recorded seconds, in milliseconds since 1970; NaN if it has none. */
export function beginOf(series: Series): number {
  const first = series.points[0]
  return first === undefined ? NaN : Date.parse(first.at) - first.offset_seconds * 1000
}

/** Recorded seconds on the axis of a run that began at a time in milliseconds since 1970. */
export function timed(series: Series, begun: number): RunPoint[] {
  return series.points.map((point) => ({ ...point, time: since(point.at, begun) }))
}

function since(at: string, begun: number): number {
  return Math.round(Date.parse(at) - begun) / 1000
}

/** The times that are not in the result, such as the ramp-up. */
export function phasesOf({ points, from = 0 }: Run): LineChart['phases'] {
  const found: LineChart['phases'] = []
  let begin = from
  for (const [i, point] of points.entries()) {
    if (points[i + 1]?.phase === point.phase) continue
    if (point.phase !== 'measure') found.push({ name: point.phase, from: begin, to: point.time })
    begin = point.time
  }
  return found
}

/** Lines that share the times of a run's points. */
function lineChart(run: Run, chart: Pick<LineChart, 'title' | 'y' | 'unit' | 'logarithmic'>, lines: Line[]): LineChart {
  return {
    kind: 'lines',
    x: axisName,
    ...chart,
    ...(run.from === undefined ? {} : { from: run.from }),
    lines,
    phases: phasesOf(run),
    table: {
      columns: [{ name: 'time', unit: 's' }, { name: 'phase' }, ...lines.map((line) => ({ name: line.name, unit: chart.unit }))],
      rows: run.points.map((point, i): Cell[] => [point.time, point.phase, ...lines.map((line) => line.points[i]?.[1] ?? null)]),
    },
  }
}

function line({ points }: Run, name: string, is: string, value: (point: RunPoint) => number | undefined): Line {
  return { name, is, points: points.map((point) => [point.time, point.missing ? null : (value(point) ?? null)]) }
}

/** An event explains a gap that begins up to so many seconds after it or before it. */
const near = 2

/** The times without values of a line, and why: what the run itself said about it, without details, or else the usual reason. */
function gapsOf({ points, markers = [] }: Run, { points: values }: Line, usual: (first: number, last: number) => string): Gap[] {
  const gaps: Gap[] = []
  for (let i = 0; i < points.length; i++) {
    if (values[i]?.[1] !== null) continue
    const first = i
    while (values[i + 1]?.[1] === null) i++
    const [from, until] = [(points[first]?.time ?? 0) - (points[first]?.seconds ?? 1), points[i]?.time ?? 0]
    const distance = ({ at_seconds: at }: Marker): number => Math.abs(at - from)
    const said = markers
      .filter((marker) => (marker.kind === 'message' || marker.kind === 'trouble') && distance(marker) <= near && marker.at_seconds <= until)
      .reduce<Marker | undefined>((best, marker) => (best === undefined || distance(marker) < distance(best) ? marker : best), undefined)
    const missing = points.slice(first, i + 1).every((point) => point.missing)
    gaps.push({ from, until, why: said?.text.split(': ')[0] ?? (missing ? 'these seconds were not recorded' : usual(first, i)) })
  }
  return gaps
}

/**
 * The server's rates in the seconds that they belong to. It counts a transaction some seconds after its end, so the
 * rate of a time was read later. Between two readings it is interpolated.
 */
function counted({ points }: Run, late: number): [number, number | null][] {
  const read = points.flatMap(({ time, server_tpm }): [number, number][] => (server_tpm === undefined ? [] : [[time, server_tpm]]))
  let next = 0
  return points.map((point) => {
    if (late === 0) return [point.time, point.server_tpm ?? null]
    const time = point.time + late
    while (next < read.length && (read[next]?.[0] ?? 0) < time) next++
    const [before, after] = [read[next - 1], read[next]]
    const longest = 2 * (point.seconds ?? 1) + 1
    if (before === undefined || after === undefined || after[0] - before[0] > longest) return [point.time, null]
    const share = (time - before[0]) / (after[0] - before[0])
    return [point.time, Math.round(before[1] + share * (after[1] - before[1]))]
  })
}

/**
 * The headline figures over time, or the virtual users' count of transactions, and the server's own count, which may
 * be some seconds late.
 */
export function throughput(run: Run, late = 0): LineChart | undefined {
  const lines: Line[] = []
  const figures = run.points.some((point) => point.figures !== undefined) ? (run.figures ?? []) : []
  // The last figure counts all transactions; others, such as new orders, are a part of it.
  for (const [i, name] of figures.entries()) lines.push(line(run, name, i === figures.length - 1 ? 'client' : name, (point) => point.figures?.[i]))
  if (figures.length === 0 && run.points.some((point) => point.client_tpm !== undefined)) lines.push(line(run, "virtual users' count", 'client', (point) => point.client_tpm))
  const gaps: Gap[] = lines[0] === undefined ? [] : gapsOf(run, lines[0], () => 'no rate was recorded')
  if (run.points.some((point) => point.server_tpm !== undefined)) {
    const name = "server's count"
    const server: Line = { name, is: 'server', points: counted(run, late) }
    lines.push(server)
    const last = run.points.length - 1
    const [later, firstReading] = ['the server counts these transactions later', 'a rate needs two readings of the count']
    const usual = (first: number, until: number): string => {
      if (until === last && late > 0) return later
      if (first === 0) return firstReading
      return run.points[first]?.phase === run.points[first - 1]?.phase ? 'the count was not read, or the users had just reported to the server' : 'the count begins again with the phase'
    }
    gaps.push(...gapsOf(run, server, usual).filter(({ from, until }) => !gaps.some((gap) => gap.from <= from && gap.until >= until)).map((gap) => ({ ...gap, line: name, ...(gap.why === later || gap.why === firstReading ? { usual: true } : {}) })))
  }
  return lines.length === 0 ? undefined : { ...lineChart(run, { title: 'Throughput', y: 'a minute', unit: 'a minute' }, lines), gaps }
}

/** Percentiles of response times or service times over time. */
export function times(run: Run, of: 'response' | 'service'): LineChart | undefined {
  if (!run.points.some((point) => point[of] !== undefined)) return undefined
  const one = (name: string, figure: keyof Latency): Line => line(run, name, name, (point) => point[of]?.[figure])
  const lines = [one('p50', 'p50_ms'), one('p95', 'p95_ms'), one('p99', 'p99_ms'), one('max', 'max_ms')]
  const gaps = gapsOf(run, one('max', 'max_ms'), () => 'no transaction was done')
  return { ...lineChart(run, { title: of === 'response' ? 'Response times' : 'Service times', y: `${of} time (ms)`, unit: 'ms', logarithmic: true }, lines), gaps }
}

/** Transactions per second that failed or were retried, by class; undefined without any. */
export function errors(run: Run): LineChart | undefined {
  const classes = [...new Set(run.points.flatMap((point) => Object.keys(point.failed_by_class ?? {})))].sort()
  const retried = run.points.some((point) => (point.retries ?? 0) > 0)
  if (classes.length === 0 && !retried) return undefined
  const rate = (n: number | undefined, point: RunPoint): number => Math.round((100 * (n ?? 0)) / (point.seconds || 1)) / 100
  const lines = classes.map((name) => line(run, name, name, (point) => rate(point.failed_by_class?.[name], point)))
  if (retried) lines.push(line(run, 'tried again', 'retried', (point) => rate(point.retries, point)))
  return lineChart(run, { title: 'Errors', y: 'a second', unit: 'a second' }, lines)
}

/** Kilobytes per second over the network; undefined without any, as of an embedded database. */
export function network(run: Run): LineChart | undefined {
  if (!run.points.some((point) => point.traffic !== undefined)) return undefined
  const rate = (name: string, member: 'bytes_sent' | 'bytes_received'): Line =>
    line(run, name, name, (point) => Math.round((point.traffic?.[member] ?? 0) / (point.seconds || 1) / 100) / 10)
  return lineChart(run, { title: 'Network', y: 'KB a second', unit: 'KB a second' }, [rate('sent', 'bytes_sent'), rate('received', 'bytes_received')])
}

/** The position of a state among a point's numbers of virtual users. */
const [runningState, failedState] = [1, 3]

/** The virtual users at work, if their number changes after the ramp-up, or if some fail; otherwise undefined. */
export function usersAtWork(run: Run): LineChart | undefined {
  const counted = run.points.filter(({ users }) => users !== undefined)
  const failed = counted.some(({ users }) => (users?.[failedState] ?? 0) > 0)
  if (!failed && !counted.some(({ working }) => working !== undefined)) return undefined
  const lines = [line(run, 'at work', 'client', (point) => point.working ?? point.users?.[runningState])]
  if (failed) lines.push(line(run, 'failed', 'failed', (point) => point.users?.[failedState]))
  return lineChart(run, { title: 'Virtual users', y: 'virtual users', unit: '' }, lines)
}

/** The distribution of response times over time. */
export function heat(run: Run): HeatChart | undefined {
  const columns = heatColumns(run.points)
  if (columns.length === 0) return undefined
  return {
    kind: 'heat',
    title: 'Distribution of response times',
    x: axisName,
    y: 'response time (ms)',
    columns,
    ...(run.from === undefined ? {} : { from: run.from }),
    phases: phasesOf(run),
    table: {
      columns: [{ name: 'from', unit: 's' }, { name: 'to', unit: 's' }, { name: 'response time from', unit: 'ms' }, { name: 'to', unit: 'ms' }, { name: 'transactions' }],
      rows: columns.flatMap((column: Column) => column.cells.map((cell): Cell[] => [column.from, column.to, cell.low, cell.high, cell.count])),
    },
  }
}

/** The charts of a machine that people look at first, in this order; the others follow by name. */
const order = ['active sessions', 'active background processes', 'CPU', 'threads waiting for a core', 'pressure', "Sledge's CPU", 'scheduling delay', 'network throughput', 'network problems', 'memory', 'pages', 'disk throughput', 'disk requests', 'disk response time', 'disk in use', 'disk queue']
/** Those whose series are parts of a whole. */
const parts = new Set(['active sessions', 'active background processes', 'CPU'])
/** What sessions wait for, and what a CPU does, from the bottom of a stack to its top. */
export const classes = ['user', 'system', 'interrupts', 'waiting for disks', 'steal', 'cpu', 'lock', 'log', 'commit', 'read', 'write', 'latch', 'memory', 'network', 'parallel', 'throttle', 'other']
/** The number of lines in a chart; more cannot be told apart. */
const mostLines = 8

/** A series by what distinguishes it from the others of its chart: its class, and the labels that are not equal in all. */
function lineName(one: Sampled, all: readonly Sampled[]): string {
  const differs = ([label, value]: [string, string]): boolean => label === 'class' || all.some(({ labels }) => labels?.[label] !== value)
  const labels = Object.entries(one.labels ?? {}).filter(differs).sort(([a], [b]) => (a < b ? -1 : 1))
  return labels.map(([, value]) => value).join(', ') || one.name
}

/** What sessions waited for, which has the same colour in each chart. */
function classOf({ labels }: Sampled): string | undefined {
  return labels?.['class'] === undefined ? undefined : `wait ${labels['class']}`
}

/** Charts of what was sampled beside a run. */
export interface Beside {
  charts: LineChart[]
  /** Names of charts that are left out, because all of their values are 0. */
  zero: string[]
}

/** The machine that a run watched through an agent; undefined for the client's machine and for the server. */
function watched({ labels }: Sampled): string | undefined {
  const machine = labels?.['machine']
  return machine === 'client' ? undefined : machine
}

/** The points of a series with a hole in each time without samples, which is much longer than usual. */
function holed(points: readonly [number, number][]): [number, number | null][] {
  const steps = points.slice(1).map(([at], i) => at - (points[i]?.[0] ?? at))
  const usual = [...steps].sort((a, b) => a - b)[Math.floor(0.75 * steps.length)] ?? 0
  return points.flatMap(([at, value], i): [number, number | null][] => {
    const step = steps[i - 1] ?? 0
    return step > 2.5 * usual ? [[at - step / 2, null], [at, value]] : [[at, value]]
  })
}

/**
 * Charts of what was sampled beside a run whose axis began at a time: one for all series of a name, unit and machine. A
 * chart draws the series with the greatest values; its table has all. Charts are low below one that they explain.
 */
export function beside(series: readonly Sampled[], begun: number, run: Run, low = false): Beside {
  const groups = new Map<string, [Sampled, ...Sampled[]]>()
  for (const one of series) {
    const key = JSON.stringify([one.name, one.unit ?? '', watched(one) ?? ''])
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [one])
    else group.push(one)
  }
  const place = ({ name }: Sampled): number => (order.includes(name) ? order.indexOf(name) : order.length)
  const greatest = (one: Sampled): number => one.points.reduce((most, { value }) => Math.max(most, Math.abs(value)), 0)
  const values = (one: Sampled): [number, number][] => one.points.map((point) => [since(point.at, begun), point.value])
  const found: Beside = { charts: [], zero: [] }
  const machine = (one: Sampled): string => watched(one) ?? ''
  for (const all of [...groups.values()].sort(([a], [b]) => place(a) - place(b) || a.name.localeCompare(b.name) || machine(a).localeCompare(machine(b)))) {
    const [first] = all
    const { name, unit = '' } = first
    const of = watched(first)
    const title = of === undefined ? name : `${name} of ${of}`
    const moving = all.filter((one) => greatest(one) > 0)
    if (moving.length === 0) {
      found.zero.push(title)
      continue
    }
    const stacked = parts.has(name)
    const level = ({ labels }: Sampled): number => classes.indexOf(labels?.['class'] ?? labels?.['mode'] ?? '')
    const drawn = stacked ? moving.sort((a, b) => level(a) - level(b)) : moving.sort((a, b) => greatest(b) - greatest(a)).slice(0, mostLines)
    found.charts.push({
      kind: 'lines',
      title: title.charAt(0).toUpperCase() + title.slice(1),
      x: axisName,
      y: unit === '' ? name : `${name} (${unit})`,
      unit,
      ...(stacked ? { stacked } : {}),
      ...(low ? { low } : {}),
      ...(run.from === undefined ? {} : { from: run.from }),
      lines: drawn.map((one, i) => ({ name: lineName(one, all), is: classOf(one) ?? `metric ${i + 1}`, points: holed(values(one)) })),
      phases: phasesOf(run),
      table: {
        columns: [{ name: 'series' }, { name: 'time', unit: 's' }, { name, ...(unit === '' ? {} : { unit }) }],
        rows: all.flatMap((one) => values(one).map(([time, value]): Cell[] => [lineName(one, all), time, value])),
      },
    })
  }
  return found
}
