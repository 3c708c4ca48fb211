// What a comparison of runs says, and how sure it is.

import type { Comparison, Difference } from '../api/types.ts'
import { count, plural } from '../format.ts'
import { percentOf } from './change.ts'

/** The number of equal runs from which on their spread is meaningful. */
const enough = 3

/** The labels by which runs differ, in their order: "6.11". */
export function labelsOf(differences: readonly Difference[], runs: number): string[] {
  const labels = differences.filter(({ name }) => name.startsWith('label '))
  return Array.from({ length: runs }, (_, i) => labels.flatMap(({ values }) => values[i] || []).join(', '))
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
