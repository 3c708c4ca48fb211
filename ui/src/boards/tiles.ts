// The kinds of tiles, and changes of a board's tiles.

import type { ShownTile, Tile } from '../api/boards.ts'

/** The kinds in words, in the order in which a form offers them. */
export const kinds: { kind: Tile['kind']; name: string }[] = [
  { kind: 'figure', name: 'Headline number' },
  { kind: 'throughput', name: 'Throughput over time' },
  { kind: 'times', name: 'Response times over time' },
  { kind: 'percentiles', name: 'Table of percentiles' },
  { kind: 'jobs', name: 'List of the last runs' },
]

/** A kind in words. */
export function nameOfKind(kind: string): string {
  return kinds.find((each) => each.kind === kind)?.name ?? kind
}

/** Tiles as a request has them. */
export function plain(tiles: readonly ShownTile[]): Tile[] {
  return tiles.map(({ kind, job, label }) => ({ kind, ...(job ? { job } : {}), ...(label ? { label } : {}) }))
}

/** A list with the element at a position moved by a number of places, if there is room. */
export function movedBy<T>(list: readonly T[], at: number, by: number): T[] {
  const to = at + by
  const moving = list[at]
  if (moving === undefined || to < 0 || to >= list.length) return [...list]
  const others = list.filter((_, i) => i !== at)
  return [...others.slice(0, to), moving, ...others.slice(to)]
}
