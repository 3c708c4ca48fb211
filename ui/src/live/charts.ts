// Charts of a run in progress.

import type { Latency, Live, LivePoint } from '../api/types.ts'
import type { Cell, HeatChart, Line, LineChart } from '../charts/chart.ts'
import { heatColumns, type Column } from '../charts/heat.ts'

const x = 'time since the run began (s)'

/** The times that are not in the result, such as the ramp-up. */
function phases(points: readonly LivePoint[]): LineChart['phases'] {
  const found: LineChart['phases'] = []
  for (const point of points) {
    const last = found.at(-1)
    const from = point.at_seconds - point.seconds
    if (last?.name === point.phase) last.to = point.at_seconds
    else found.push({ name: point.phase, from: Math.max(0, from), to: point.at_seconds })
  }
  return found.filter((phase) => phase.name !== 'measure')
}

function lineChart(points: readonly LivePoint[], chart: Pick<LineChart, 'title' | 'y' | 'unit'>, lines: Line[]): LineChart {
  return {
    kind: 'lines',
    x,
    ...chart,
    lines,
    phases: phases(points),
    table: {
      columns: [{ name: 'time', unit: 's' }, { name: 'phase' }, ...lines.map((line) => ({ name: line.name, unit: chart.unit }))],
      rows: points.map((point, i): Cell[] => [point.at_seconds, point.phase, ...lines.map((line) => line.points[i]?.[1] ?? null)]),
    },
  }
}

function line(points: readonly LivePoint[], name: string, is: string, value: (point: LivePoint) => number | undefined): Line {
  return { name, is, points: points.map((point) => [point.at_seconds, value(point) ?? null]) }
}

/** Headline figures and the server's own count over time. */
export function liveRates(points: readonly LivePoint[], now: Live | undefined): LineChart | undefined {
  const names = (now?.now?.metrics ?? []).map((metric) => metric.name)
  const lines: Line[] = []
  if (points.some((point) => point.server_tpm !== undefined)) {
    lines.push(line(points, "TPM, server's count", 'server', (point) => point.server_tpm))
  }
  if (names.length === 0) lines.push(line(points, "transactions a minute, virtual users' count", 'client', (point) => point.client_tpm))
  // The last figure counts all transactions; others, such as new orders, are a part of it.
  for (const [i, name] of names.entries()) lines.push(line(points, name, i === names.length - 1 ? 'client' : name, (point) => point.figures?.[i]))
  if (points.length === 0) return undefined
  return lineChart(points, { title: 'Throughput', y: 'a minute', unit: 'a minute' }, lines)
}

/** Percentiles of response times or service times over time. */
export function liveTimes(points: readonly LivePoint[], of: 'response' | 'service'): LineChart | undefined {
  if (!points.some((point) => point.response !== undefined)) return undefined
  const one = (name: string, figure: keyof Latency): Line => line(points, name, name, (point) => point[of]?.[figure])
  return lineChart(points, { title: of === 'response' ? 'Response times' : 'Service times', y: `${of} time (ms)`, unit: 'ms' }, [
    one('p50', 'p50_ms'),
    one('p95', 'p95_ms'),
    one('p99', 'p99_ms'),
    one('max', 'max_ms'),
  ])
}

/** Transactions per second that failed or were retried, by class; undefined without any. */
export function liveErrors(points: readonly LivePoint[]): LineChart | undefined {
  const classes = [...new Set(points.flatMap((point) => Object.keys(point.failed_by_class ?? {})))].sort()
  const retried = points.some((point) => (point.retries ?? 0) > 0)
  if (classes.length === 0 && !retried) return undefined
  const rate = (n: number | undefined, point: LivePoint): number => Math.round((100 * (n ?? 0)) / (point.seconds || 1)) / 100
  const lines = classes.map((name) => line(points, name, name, (point) => rate(point.failed_by_class?.[name], point)))
  if (retried) lines.push(line(points, 'tried again', 'retried', (point) => rate(point.retries, point)))
  return lineChart(points, { title: 'Errors', y: 'a second', unit: 'a second' }, lines)
}

/** The distribution of response times over time. */
export function liveHeat(points: readonly LivePoint[]): HeatChart | undefined {
  const columns = heatColumns(points)
  if (columns.length === 0) return undefined
  return {
    kind: 'heat',
    title: 'Distribution of response times',
    x,
    y: 'response time (ms)',
    columns,
    phases: phases(points),
    table: {
      columns: [{ name: 'from', unit: 's' }, { name: 'to', unit: 's' }, { name: 'response time from', unit: 'ms' }, { name: 'to', unit: 'ms' }, { name: 'transactions' }],
      rows: columns.flatMap((column: Column) => column.cells.map((cell): Cell[] => [column.from, column.to, cell.low, cell.high, cell.count])),
    },
  }
}
