// What a comparison of runs says, and how sure it is.

import type { Comparison, Difference, Job } from '../api/types.ts'
import { count, moment, plural } from '../format.ts'
import { percentOf } from './change.ts'

/** The number of equal runs from which on their spread is meaningful. */
const enough = 3

/** The labels by which runs differ, in their order: "6.11"; '' for a run without. */
export function labelsOf(differences: readonly Difference[], runs: number): string[] {
  const labels = differences.filter(({ name }) => name.startsWith('label '))
  return Array.from({ length: runs }, (_, i) => labels.flatMap(({ values }) => (values[i] === 'not set' ? [] : (values[i] ?? []))).join(', '))
}

/** The most runs that a page compares: with more, their curves cannot be told apart. */
export const mostCompared = 8

/** A name for each run: its labels that differ, its users if they differ, and if that is not enough, its begin. */
export function namesOf({ runs, differences }: Pick<Comparison, 'runs' | 'differences'>): string[] {
  const labels = labelsOf(differences, runs.length)
  const users = differences.some(({ name }) => name === 'users')
  const names = runs.map((run, i) => [labels[i], users ? plural(run.users, 'user') : ''].filter(Boolean).join(', '))
  return names.map((name, i) => {
    if (name !== '' && names.indexOf(name) === names.lastIndexOf(name)) return name
    const begun = runs.filter((other, k) => names[k] === name && moment(other.begun) === moment(runs[i]?.begun)).length > 1 ? '' : moment(runs[i]?.begun)
    return [name, begun || runs[i]?.id.slice(0, 12)].filter(Boolean).join(', ')
  })
}

/** A setting that is equal in all runs. */
export interface Equal {
  name: string
  option: boolean
  value: string
}

/** The options, labels, facts and settings of the server that all jobs have with the same value. */
export function equalsOf(jobs: readonly Job[]): Equal[] {
  const settings = jobs.map((job) => {
    const { facts } = job
    const plain = (of: Record<string, string | undefined>, prefix: string, option: boolean): [string, Equal][] =>
      Object.entries(of).flatMap(([name, value]) => (value ? [[prefix + name, { name: prefix + name, option, value }]] : []))
    return new Map([
      ...plain(job.options ?? {}, '', true),
      ...plain(job.labels ?? {}, 'label ', false),
      ...plain({ database: job.database, workload: job.workload, users: job.users ? String(job.users) : undefined, seed: String(job.seed) }, '', false),
      ...plain({ target: facts?.target, server: facts?.server, data: facts?.size, client: facts?.host.name, sledge: facts?.sledge_version }, '', false),
      ...plain(facts?.server_settings ?? {}, 'server’s ', false),
    ])
  })
  const [first, ...others] = settings
  return [...(first?.values() ?? [])].filter(({ name, value }) => others.every((other) => other.get(name)?.value === value))
}

/** Whether a lower value of a figure is better. */
export function lowerIsBetter(unit: string | undefined): boolean {
  return unit !== undefined && /^(m?s|µs)/.test(unit)
}

/** What is known about the difference of a run from the first: noise, more than noise, or unknown without repeats. */
export type Sure = 'noise' | 'more' | 'unknown'

/** Whether the first figure of a run differs by more than equal runs do: their ranges do not overlap. */
export function sureOf({ repeats = [] }: Pick<Comparison, 'repeats'>, run: number): Sure {
  const [first, other] = [repeats[0], repeats[run]]
  if (first?.least === undefined || first.most === undefined || other?.least === undefined || other.most === undefined) return 'unknown'
  if (Math.min(first.runs, other.runs) < enough) return 'unknown'
  return first.most < other.least || other.most < first.least ? 'more' : 'noise'
}

/** A sentence about the repeats of a run. */
export function repeatsOf({ repeats = [] }: Pick<Comparison, 'repeats'>, run: number): string {
  const of = repeats[run]
  if (of === undefined || of.runs < 2) return 'the only run of its kind in this repository'
  return `one of ${plural(of.runs, 'run')} with the same options: ${of.figure ?? ''} from ${count(of.least ?? 0)} to ${count(of.most ?? 0)}, median ${count(of.median ?? 0)}`
}

/** A ratio to the first run as a difference: "+4.0 %"; "" without a ratio. */
export function differenceOf(ratio: number | null | undefined): string {
  return ratio === null || ratio === undefined ? '' : percentOf(100 * (ratio - 1))
}
