// The last part of an execution's output, in stretches of one stream each.

import type { Piece } from './api.ts'

/** Consecutive output of one stream. */
export interface Stretch {
  text: string
  isError: boolean
}

/** The number of characters that are shown. */
export const most = 300_000

/** Appends a piece to the output. */
export function added(shown: readonly Stretch[], piece: Piece): Stretch[] {
  const list = [...shown]
  if (piece.missed) list.push({ text: `… ${piece.missed} bytes are no longer available …\n`, isError: true })
  const isError = piece.error === true
  const last = list.at(-1)
  if (last !== undefined && last.isError === isError) list[list.length - 1] = { text: last.text + piece.text, isError }
  else list.push({ text: piece.text, isError })
  let over = list.reduce((sum, { text }) => sum + text.length, 0) - most
  while (over > 0) {
    const first = list[0]
    if (first === undefined) break
    if (first.text.length <= over) list.shift()
    else list[0] = { ...first, text: first.text.slice(over) }
    over -= first.text.length
  }
  return list
}
