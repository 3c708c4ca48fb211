// Draws the timeline of streams.

import type uPlot from 'uplot'
import { seconds } from '../format.ts'
import type { Bar, GanttChart } from './chart.ts'
import { colour, surface } from './palette.ts'

/** When the last bar ends. */
export function ends(chart: GanttChart): number {
  return Math.max(...chart.bars.map((bar) => bar.from + bar.seconds), 0) || 1
}

/** The height of a bar in pixels. */
const height = 18

/** Draws a bar for each transaction. One that was not done, or is not yet, is hollow, so that it differs in more than colour. */
export function drawBars(u: uPlot, chart: GanttChart, isDark: boolean, size: number, font: string): void {
  const { background } = surface(isDark)
  u.ctx.font = `${11 * size}px ${font}`
  u.ctx.textAlign = 'center'
  u.ctx.textBaseline = 'middle'
  for (const bar of chart.bars) {
    const [from, to, middle] = [u.valToPos(bar.from, 'x', true), u.valToPos(bar.from + bar.seconds, 'x', true), u.valToPos(bar.lane, 'y', true)]
    const width = Math.max(to - from, size)
    const hollow = bar.broken !== undefined || bar.running === true
    const fill = hollow ? background : colour(bar.name, isDark)
    u.ctx.fillStyle = fill
    u.ctx.fillRect(from, middle - (height * size) / 2, width, height * size)
    u.ctx.strokeStyle = bar.broken !== undefined ? colour('failed', isDark) : hollow ? colour(bar.name, isDark) : background
    u.ctx.lineWidth = (hollow ? 2 : 0.5) * size
    u.ctx.strokeRect(from, middle - (height * size) / 2, width, height * size)
    const text = labelOf(bar)
    if (u.ctx.measureText(text).width + 6 * size < width) {
      u.ctx.fillStyle = inkOn(fill)
      u.ctx.fillText(text, from + width / 2, middle)
    }
  }
}

/** The bar at a time in a lane, in a sentence; "" between the bars. */
export function barAt(chart: GanttChart, at: number, lane: number): string {
  const bar = chart.bars.find((each) => each.lane === lane && each.from <= at && at <= each.from + each.seconds)
  if (bar === undefined) return ''
  return `${bar.name} of ${chart.lanes[bar.lane] ?? ''}: from ${seconds(bar.from)} s, ${bar.running === true ? 'running for' : 'took'} ${seconds(bar.seconds)} s${bar.broken === undefined ? '' : `, ${bar.broken}`}`
}

/** The text in a bar: the number of its kind, or its first word. */
export function labelOf(bar: Bar): string {
  return /(\d+)$/.exec(bar.name)?.[1] ?? bar.name.split(' ')[0] ?? ''
}

/** Black or white, whichever is easier to read on a colour (WCAG 2.2, relative luminance). */
export function inkOn(background: string): string {
  const channel = (from: number): number => {
    const c = Number.parseInt(background.slice(from, from + 2), 16) / 255
    return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4
  }
  const luminance = 0.2126 * channel(1) + 0.7152 * channel(3) + 0.0722 * channel(5)
  return luminance > 0.179 ? '#000000' : '#ffffff'
}
