// Draws the spread of response times by kind of transaction.

import type uPlot from 'uplot'
import type { Transaction } from '../api/types.ts'
import { count, millis } from '../format.ts'
import type { BoxChart } from './chart.ts'
import { colour, surface } from './palette.ts'

/** The height of a box in pixels. */
const height = 16

/** The spread of each kind of transaction that was done; undefined without any. */
export function boxChart(transactions: readonly Transaction[]): BoxChart | undefined {
  const boxes = transactions.flatMap(({ kind, done, response }) => {
    const { min_ms: min, p25_ms: p25, p50_ms: p50, p75_ms: p75, p99_ms: p99, max_ms: max } = response ?? {}
    if (min === undefined || p25 === undefined || p50 === undefined || p75 === undefined || p99 === undefined || max === undefined) return []
    return [{ kind, done, min, p25, p50, p75, p99, max }]
  })
  if (boxes.length === 0) return undefined
  return {
    kind: 'boxes',
    title: 'Spread of response times',
    x: 'response time (ms)',
    lanes: boxes.map(({ kind }) => kind),
    boxes,
    table: {
      columns: [{ name: 'transaction' }, { name: 'done' }, ...['min', 'p25', 'p50', 'p75', 'p99', 'max'].map((name) => ({ name, unit: 'ms' }))],
      rows: boxes.map((box) => [box.kind, box.done, box.min, box.p25, box.p50, box.p75, box.p99, box.max]),
    },
  }
}

/** The powers of ten around all times. */
export function decadesAround(all: readonly number[]): { from: number; until: number } {
  const times = all.filter((time) => time > 0)
  const [low, high] = [Math.min(...times), Math.max(...times)]
  if (!(low < Infinity)) return { from: 0.1, until: 10 }
  const from = Math.floor(Math.log10(low))
  return { from: 10 ** from, until: 10 ** Math.max(Math.ceil(Math.log10(high)), from + 1) }
}

/** Draws a box over the middle half, a stroke at the median, whiskers from the minimum to p99, and a dot at the maximum. */
export function drawBoxes(u: uPlot, { boxes }: BoxChart, isDark: boolean, size: number): void {
  const { text } = surface(isDark)
  const from = u.scales['x']?.min ?? 0.1
  for (const [lane, box] of boxes.entries()) {
    const at = (time: number): number => u.valToPos(Math.max(time, from), 'x', true)
    const middle = u.valToPos(lane, 'y', true)
    const [top, tall] = [middle - (height * size) / 2, height * size]
    u.ctx.strokeStyle = u.ctx.fillStyle = colour('server', isDark)
    u.ctx.lineWidth = 1.5 * size
    u.ctx.beginPath()
    u.ctx.moveTo(at(box.min), middle)
    u.ctx.lineTo(at(box.p99), middle)
    for (const end of [box.min, box.p99]) {
      u.ctx.moveTo(at(end), middle - tall / 4)
      u.ctx.lineTo(at(end), middle + tall / 4)
    }
    u.ctx.stroke()
    u.ctx.fillRect(at(box.p25), top, Math.max(at(box.p75) - at(box.p25), size), tall)
    u.ctx.beginPath()
    u.ctx.arc(at(box.max), middle, 3 * size, 0, 2 * Math.PI)
    u.ctx.fill()
    u.ctx.fillStyle = text
    u.ctx.fillRect(at(box.p50) - size, top - 2 * size, 2 * size, tall + 4 * size)
  }
}

/** The box in a lane, in a sentence; "" for a lane without a box. */
export function boxAt({ boxes }: BoxChart, lane: number): string {
  const box = boxes[lane]
  if (box === undefined) return ''
  return `${box.kind}, ${count(box.done)} done: min ${millis(box.min)}, p25 ${millis(box.p25)}, p50 ${millis(box.p50)}, p75 ${millis(box.p75)}, p99 ${millis(box.p99)}, max ${millis(box.max)} ms`
}
