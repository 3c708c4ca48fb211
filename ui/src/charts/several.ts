// Several runs or profiles in one chart, on the same axes.

import type { Experiment, History, Profile, ProfilePoint, Series } from '../api/types.ts'
import type { Cell, Line, LineChart } from './chart.ts'

/** Points of a run over the measured time, in seconds. */
function measured(series: Series, of: (point: Series['points'][number]) => number | undefined): [number, number | null][] {
  return series.points.filter((point) => point.phase === 'measure').map((point) => [Math.round(1000 * point.offset_seconds) / 1000, of(point) ?? null])
}

function overTime(title: string, y: string, unit: string, runs: Series[], names: readonly string[], of: (point: Series['points'][number]) => number | undefined): LineChart | undefined {
  const lines = runs.map((series, i): Line => ({ name: names[i] ?? '', is: `run ${i + 1}`, points: measured(series, of) }))
  if (!lines.some((line) => line.points.some(([, value]) => value !== null))) return undefined
  return {
    kind: 'lines',
    title,
    x: 'measured time (s)',
    y,
    unit,
    lines,
    phases: [],
    table: {
      columns: [{ name: 'run' }, { name: 'time', unit: 's' }, { name: y }],
      rows: lines.flatMap((line) => line.points.map(([time, value]): Cell[] => [line.name, time, value])),
    },
  }
}

/** Rates and response times of runs, by their names, over their measured times. */
export function comparisonCharts(runs: Series[], names: readonly string[]): LineChart[] {
  return [
    overTime('Transactions a minute', 'transactions a minute', 'a minute', runs, names, (point) => point.client_tpm ?? point.server_tpm),
    overTime('p95 of response times', 'response time (ms)', 'ms', runs, names, (point) => point.response?.p95_ms),
  ].filter((chart) => chart !== undefined)
}

/** Curves of one figure over numbers of virtual users. */
function overUsers(title: string, y: string, unit: string, curves: { name: string; is: string; points: ProfilePoint[]; of: (point: ProfilePoint) => number | undefined }[]): LineChart | undefined {
  const lines = curves.map(({ name, is, points, of }): Line => ({ name, is, points: points.map((point) => [point.users, of(point) ?? null]) }))
  if (!lines.some((line) => line.points.some(([, value]) => value !== null))) return undefined
  const users = [...new Set(lines.flatMap((line) => line.points.map(([n]) => n)))].sort((a, b) => a - b)
  return {
    kind: 'lines',
    title,
    x: 'virtual users',
    y,
    unit,
    lines,
    phases: [],
    marked: true,
    table: {
      columns: [{ name: 'virtual users' }, ...lines.map((line) => ({ name: line.name, ...(unit === '' ? {} : { unit }) }))],
      rows: users.map((n): Cell[] => [n, ...lines.map((line) => line.points.find(([of]) => of === n)?.[1] ?? null)]),
    },
  }
}

/** The first two figures of each run, by name, in their order. */
function figures(points: ProfilePoint[]): { name: string; unit: string }[] {
  const found: { name: string; unit: string }[] = []
  for (const metric of points.flatMap((point) => point.metrics.slice(0, 2))) {
    if (!found.some(({ name }) => name === metric.name)) found.push({ name: metric.name, unit: metric.unit ?? '' })
  }
  return found
}

const metric = (name: string) => (point: ProfilePoint) => point.metrics.find((each) => each.name === name)?.value

/** A profile's figures and percentiles over virtual users. */
export function profileCharts(profile: Profile): LineChart[] {
  const { points } = profile
  const list = figures(points)
  const counted = list.filter(({ unit }) => unit === '')
  const title = counted.map(({ name }) => name).join(' and ')
  return [
    counted.length === 0
      ? undefined
      : overUsers(`${title} over virtual users`, title, '', counted.map(({ name }, i) => ({ name, is: i === 0 ? 'client' : 'server', points, of: metric(name) }))),
    ...list.filter(({ unit }) => unit !== '').map(({ name, unit }) => overUsers(`${name} over virtual users`, `${name} (${unit})`, unit, [{ name, is: 'client', points, of: metric(name) }])),
    overUsers('Response times over virtual users', 'response time (ms)', 'ms', (['p50', 'p95', 'p99'] as const).map((name) => ({ name, is: name, points, of: (point) => point.response?.[`${name}_ms`] }))),
  ].filter((chart) => chart !== undefined)
}

/** The same figures of several profiles, a chart for each figure. */
export function profilesCharts(profiles: Profile[]): LineChart[] {
  const curves = (of: (point: ProfilePoint) => number | undefined) => profiles.map(({ profile, points }, i) => ({ name: `profile ${profile ?? ''}`, is: `profile ${i + 1}`, points, of }))
  return [
    ...figures(profiles.flatMap(({ points }) => points)).map(({ name, unit }) => overUsers(`${name} over virtual users`, unit === '' ? name : `${name} (${unit})`, unit, curves(metric(name)))),
    overUsers('p95 of response times over virtual users', 'response time (ms)', 'ms', curves((point) => point.response?.p95_ms)),
  ].filter((chart) => chart !== undefined)
}

/** The numbers of virtual users in a text such as "1,2, 4"; undefined if the text is invalid. */
export function usersOf(text: string): number[] | undefined {
  const numbers = text.split(/[\s,]+/).filter((word) => word !== '').map(Number)
  return numbers.length > 0 && numbers.every((n) => Number.isInteger(n) && n > 0) ? numbers : undefined
}

/** The most lines that a reader can tell apart. */
const mostLines = 7

/** The medians of an experiment's cells, of its figure and of p99, over the factor with most values that are numbers: a line for each combination of the others. */
export function experimentCharts({ factors, cells, figure }: Pick<Experiment, 'factors' | 'cells' | 'figure'>): LineChart[] {
  const numbersOf = (f: number) => [...new Set(cells.map(({ values }) => Number(values[f])))].sort((a, b) => a - b)
  const candidates = factors.map((_, f) => ({ f, numbers: numbersOf(f) })).filter(({ numbers }) => numbers.length > 1 && numbers.every(Number.isFinite))
  const over = candidates.reduce<(typeof candidates)[number] | undefined>((most, each) => (most === undefined || each.numbers.length > most.numbers.length ? each : most), undefined)
  if (over === undefined || figure === undefined) return []
  const name = factors[over.f] ?? ''
  const drawn = (y: string, unit: string, of: (cell: Experiment['cells'][number]) => number | undefined): LineChart | undefined => {
    const lines = new Map<string, [number, number][]>()
    for (const cell of cells) {
      const value = of(cell)
      if (value === undefined) continue
      const others = cell.values.flatMap((each, f) => (f === over.f ? [] : [`${factors[f] ?? ''} ${each}`])).join(', ') || y
      lines.set(others, [...(lines.get(others) ?? []), [Number(cell.values[over.f]), value]])
    }
    if (lines.size === 0) return undefined
    const shown = [...lines].slice(0, mostLines).map(([others, points], i): Line => ({ name: others, is: `run ${i + 1}`, points: points.sort(([a], [b]) => a - b) }))
    return {
      kind: 'lines',
      title: `${y} over ${name}`,
      x: name,
      y: unit === '' ? y : `${y} (${unit})`,
      unit,
      lines: shown,
      phases: [],
      marked: true,
      table: {
        columns: [{ name }, ...shown.map((line) => ({ name: line.name, ...(unit === '' ? {} : { unit }) }))],
        rows: over.numbers.map((n): Cell[] => [n, ...shown.map((line) => line.points.find(([at]) => at === n)?.[1] ?? null)]),
      },
    }
  }
  return [drawn(figure, '', ({ result }) => result?.median), drawn('p99 of response times', 'ms', (cell) => cell.p99_ms)].filter((chart) => chart !== undefined)
}

/** The figure of each run of a history, in their order from 1, with the mean of each level. */
export function historyChart({ figure, unit = '', runs, levels }: Pick<History, 'figure' | 'unit' | 'runs' | 'levels'>): LineChart {
  const means: [number, number | null][] = []
  let at = 0
  for (const level of levels) {
    for (let i = 1; i <= level.runs; i++) means.push([at + i, level.mean])
    at += level.runs
    means.push([at + 0.5, null])
  }
  return {
    kind: 'lines',
    title: `${figure} over the runs`,
    x: 'run',
    y: unit === '' ? figure : `${figure} (${unit})`,
    unit,
    lines: [
      { name: figure, is: 'client', points: runs.map(({ value }, i) => [i + 1, value]) },
      { name: 'level', is: 'server', points: means },
    ],
    phases: [],
    marked: true,
    table: {
      columns: [{ name: 'run' }, { name: 'begun' }, { name: figure, ...(unit === '' ? {} : { unit }) }],
      rows: runs.map(({ begun, value }, i): Cell[] => [i + 1, begun, value]),
    },
  }
}
