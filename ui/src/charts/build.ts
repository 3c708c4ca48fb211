// Charts of a job's documents.

import type { Job, Rate, Series, Span } from '../api/types.ts'
import type { Cell, GanttChart, Line, LineChart } from './chart.ts'

/** Points on one axis of time, in seconds since the run began, or the first of them. */
interface Timed extends Rate {
  time: number
}

/** When a run began, and the start of the shown part, if not all is shown; in milliseconds since 1970. */
export interface Shown {
  began: number
  from?: number | undefined
}

/** The start of the time axis in milliseconds since 1970: of the run, its first point or its first sample. */
function origin(series: Series, shown?: Shown): number {
  const first = series.points[0]
  if (shown !== undefined) return shown.began
  if (first !== undefined) return Date.parse(first.at) - first.offset_seconds * 1000
  return Date.parse(series.series?.[0]?.points[0]?.at ?? '')
}

function timed(series: Series, shown?: Shown): Timed[] {
  const begin = origin(series, shown)
  return series.points.map((point) => ({ ...point, time: round((Date.parse(point.at) - begin) / 1000) }))
}

function round(seconds: number): number {
  return Math.round(seconds * 1000) / 1000
}

/** The times that are not in the result, such as the ramp-up. */
function phases(points: Timed[], shown: Shown | undefined): LineChart['phases'] {
  const found: LineChart['phases'] = []
  let from = beginning(shown).from ?? 0
  for (const [i, point] of points.entries()) {
    const next = points[i + 1]
    if (next?.phase === point.phase) continue
    if (point.phase !== 'measure') found.push({ name: point.phase, from, to: point.time })
    from = point.time
  }
  return found
}

/** The start of the time axis: of the run, or of the part that is shown. */
function beginning(shown: Shown | undefined): { from?: number } {
  return shown?.from === undefined ? {} : { from: round((shown.from - shown.began) / 1000) }
}

/** Transactions per minute over time, by the server's count and the virtual users' count, if there is one. */
export function rateChart(series: Series, shown?: Shown): LineChart | undefined {
  const points = timed(series, shown)
  const lines: Line[] = []
  if (points.some((p) => p.server_tpm !== undefined)) {
    lines.push({ name: "server's count", is: 'server', points: points.map((p) => [p.time, p.server_tpm ?? null]) })
  }
  if (points.some((p) => p.client_tpm !== undefined)) {
    lines.push({ name: "virtual users' count", is: 'client', points: points.map((p) => [p.time, p.client_tpm ?? null]) })
  }
  if (lines.length === 0) return undefined
  return {
    kind: 'lines',
    title: 'Transactions a minute',
    x: 'time since the run began (s)',
    y: 'transactions a minute',
    unit: 'a minute',
    ...beginning(shown),
    lines,
    phases: phases(points, shown),
    table: tableOf(points, lines, 'a minute'),
  }
}

/** Percentiles of response times over time. */
export function responseChart(series: Series, shown?: Shown): LineChart | undefined {
  const points = timed(series, shown)
  if (!points.some((p) => p.response !== undefined)) return undefined
  const of = (name: string, is: string, figure: 'p50_ms' | 'p95_ms' | 'p99_ms' | 'max_ms'): Line => ({
    name,
    is,
    points: points.map((p) => [p.time, p.response?.[figure] ?? null]),
  })
  const lines = [of('p50', 'p50', 'p50_ms'), of('p95', 'p95', 'p95_ms'), of('p99', 'p99', 'p99_ms'), of('max', 'max', 'max_ms')]
  return {
    kind: 'lines',
    title: 'Response times',
    x: 'time since the run began (s)',
    y: 'response time (ms)',
    unit: 'ms',
    ...beginning(shown),
    lines,
    phases: phases(points, shown),
    table: tableOf(points, lines, 'ms'),
  }
}

/** Values that observers read beside a run: one chart for all series of a name and unit. */
export function besideCharts(series: Series, shown?: Shown): LineChart[] {
  const charts: LineChart[] = []
  const points = timed(series, shown)
  const begin = origin(series, shown)
  for (const one of series.series ?? []) {
    const unit = one.unit ?? ''
    const name = Object.entries(one.labels ?? {}).sort(([a], [b]) => (a < b ? -1 : 1)).map(([, value]) => value).join(', ') || one.name
    let chart = charts.find(({ title, unit: of }) => title === one.name && of === unit)
    if (chart === undefined) {
      chart = {
        kind: 'lines',
        title: one.name,
        x: 'time since the run began (s)',
        y: unit === '' ? one.name : `${one.name} (${unit})`,
        unit,
        ...beginning(shown),
        lines: [],
        phases: phases(points, shown),
        table: { columns: [{ name: 'series' }, { name: 'time', unit: 's' }, { name: one.name, ...(unit === '' ? {} : { unit }) }], rows: [] },
      }
      charts.push(chart)
    }
    const values = one.points.map((point): [number, number] => [round((Date.parse(point.at) - begin) / 1000), point.value])
    chart.lines.push({ name, is: `metric ${chart.lines.length + 1}`, points: values })
    chart.table.rows.push(...values.map(([time, value]): Cell[] => [name, time, value]))
  }
  return charts
}

function tableOf(points: Timed[], lines: Line[], unit: string): LineChart['table'] {
  return {
    columns: [{ name: 'time', unit: 's' }, { name: 'phase' }, ...lines.map((line) => ({ name: line.name, unit }))],
    rows: points.map((point, i): Cell[] => [
      point.time,
      point.phase,
      ...lines.map((line) => line.points[i]?.[1] ?? null),
    ]),
  }
}

/** The times of one kind of transaction in a run of few, long transactions. */
export interface KindTimes {
  kind: string
  done: number
  least?: number
  mean?: number
  most?: number
  rows: number
  notDone: number
}

/** A line for each kind that ran, ordered by number; kinds without a number come last. */
export function kindTimes(spans: Span[]): KindTimes[] {
  const byKind = new Map<string, Span[]>()
  for (const span of spans) {
    if (span.outcome === undefined) continue // in flight
    byKind.set(span.kind, [...(byKind.get(span.kind) ?? []), span])
  }
  return [...byKind]
    .map(([kind, of]) => {
      const done = of.filter((span) => span.outcome === 'done')
      const times = done.map((span) => span.seconds)
      return {
        kind,
        done: done.length,
        rows: done.reduce((sum, span) => sum + span.rows, 0),
        notDone: of.length - done.length,
        ...(times.length > 0
          ? { least: Math.min(...times), mean: times.reduce((sum, s) => sum + s, 0) / times.length, most: Math.max(...times) }
          : {}),
      }
    })
    .sort((a, b) => byNumber(a.kind, b.kind))
}

/** Orders "query 2" before "query 10", and names without a number last. */
function byNumber(a: string, b: string): number {
  const numbered = (name: string): number => (/\d$/.test(name) ? 0 : 1)
  return numbered(a) - numbered(b) || a.localeCompare(b, 'en', { numeric: true })
}

/** The timeline of each stream; undefined for a job that does not record single transactions. */
export function streamChart(job: Job): GanttChart | undefined {
  const spans = (job.spans ?? []).filter((span) => span.outcome !== undefined)
  if (spans.length === 0) return undefined
  const users = [...new Set(spans.map((span) => span.user))].sort((a, b) => a - b)
  const laneName = (user: number): string => {
    const streams = spans.filter((span) => span.user === user && span.stream >= 0).map((span) => span.stream)
    return streams[0] === undefined ? 'refreshes' : `stream ${streams[0]}`
  }
  return {
    kind: 'gantt',
    title: 'Streams',
    x: 'time since the first query (s)',
    lanes: users.map(laneName),
    bars: spans.map((span) => ({
      lane: users.indexOf(span.user),
      name: span.kind,
      from: span.from_seconds,
      seconds: span.seconds,
      ...(span.outcome === 'done' ? {} : { broken: span.outcome ?? '' }),
    })),
    table: {
      columns: [
        { name: 'stream' },
        { name: 'query' },
        { name: 'from', unit: 's' },
        { name: 'took', unit: 's' },
        { name: 'rows' },
        { name: 'outcome' },
      ],
      rows: spans.map((span): Cell[] => [laneName(span.user), span.kind, span.from_seconds, span.seconds, span.rows, span.outcome ?? '']),
    },
  }
}
