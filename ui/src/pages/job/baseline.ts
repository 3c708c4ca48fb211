// An earlier run behind the curves of another.

import type { Job, Metric, Points } from '../../api/types.ts'
import type { Line, LineChart } from '../../charts/chart.ts'
import { placed, type RunPoint } from '../../charts/run.ts'
import { percentOf } from '../../parts/change.ts'

/** A run that others are compared with. */
export interface Baseline {
  job: Job
  points: Points
}

/** What people call a run: its labels, or the beginning of its ID. */
export function nameOf(job: Pick<Job, 'id' | 'labels'>): string {
  return Object.entries(job.labels ?? {}).map(([name, value]) => (value === '' ? name : `${name} ${value}`)).join(', ') || job.id.slice(0, 12)
}

/** When the measured time began, on the axis of the points; undefined before. */
function measuredFrom(points: readonly RunPoint[]): number | undefined {
  const first = points.find((point) => point.phase === 'measure')
  return first === undefined ? undefined : first.time - (first.seconds ?? 1)
}

/**
 * A chart with the thin lines of a baseline behind those of the same names. The measured times of both begin at the same
 * place, because their ramp-ups may differ.
 */
export function behind(chart: LineChart, run: readonly RunPoint[], { job, points }: Baseline, values: Record<string, (point: RunPoint) => number | undefined>): LineChart {
  const earlier = placed(points.points)
  const shift = (measuredFrom(run) ?? 0) - (measuredFrom(run) === undefined ? 0 : (measuredFrom(earlier) ?? 0))
  const until = chart.lines.reduce((most, line) => Math.max(most, line.points.at(-1)?.[0] ?? 0), 0)
  const lines = chart.lines.flatMap((line): Line[] => {
    const value = values[line.name]
    if (value === undefined) return []
    const drawn = earlier.flatMap((point): [number, number | null][] => {
      const time = Math.round(1000 * (point.time + shift)) / 1000
      return time >= (chart.from ?? 0) && time <= until ? [[time, value(point) ?? null]] : []
    })
    return [{ name: `${line.name}, ${nameOf(job)}`, is: line.is, thin: true, points: drawn }]
  })
  return { ...chart, lines: [...chart.lines, ...lines] }
}

/**
 * The difference of a figure from the baseline's: "+4.1 % against kernel 6.11 (one run each)"; "" without the same
 * figure. One run each does not show whether the difference is more than chance.
 */
export function against(metric: Metric, { job }: Pick<Baseline, 'job'>): string {
  const other = job.metrics?.find(({ name }) => name === metric.name)
  return other === undefined || other.value <= 0 ? '' : `${percentOf(100 * (metric.value / other.value - 1))} against ${nameOf(job)} (one run each)`
}
