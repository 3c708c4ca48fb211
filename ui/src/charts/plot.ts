// Draws charts on a canvas with uPlot. A plot takes new data without losing the crosshair, the hidden lines and the part
// of the axis that the reader has chosen.

import uPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import { short, xAxis } from './axis.ts'
import type { Chart, LineChart } from './chart.ts'
import { boxAt, decadesAround, drawBoxes } from './boxes.ts'
import { barAt, drawBars, ends } from './gantt.ts'
import { columnAt, drawCells, levels } from './heat.ts'
import type { Mark } from './marks.ts'
import { colour, surface } from './palette.ts'
import type { Part } from './viewport.svelte.ts'

/** How a chart is shown. */
export interface Look {
  isDark: boolean
  /** The part of the x axis that is shown; undefined for everything. */
  part: Part | undefined
  /** Whether the y axis of a line chart is logarithmic. */
  log: boolean
  /** The names of the lines that the reader has hidden. */
  hidden: ReadonlySet<string>
  /** What is marked on the axis of time. */
  marks?: readonly Mark[]
  /** The key of the mark that is drawn stronger. */
  lit?: string
  /** Whether marks have their signs in the drawing, as in a picture. Pages lay buttons over it. */
  signs?: boolean
}

/** Hears what the reader does with the mouse. */
export interface Listener {
  /** The crosshair is at a place on the x axis, or left the chart. */
  cursor: (at: number | undefined) => void
  /** A part of the x axis was selected by dragging, with or without the Shift key. */
  select: (from: number, until: number, withShift: boolean) => void
  /** A double click. */
  reset: () => void
  /** The chart was drawn. The function returns the place of an x in pixels from its left edge; undefined outside. */
  drawn: (place: (x: number) => number | undefined) => void
}

/** What a chart shows at its crosshair. */
export interface Reading {
  /** The value of each line, by its name. */
  values: Map<string, number | null>
  /** A sentence about a chart without lines; "" if there is nothing at the crosshair. */
  text: string
}

/** The width of the margin for the labels of y axes, the same for all charts, so that crosshairs are aligned. */
const margin = 72
const font = 'system-ui, sans-serif'
/** The strokes of lines, which differ in more than their colour: lengths of dashes and gaps. */
export const strokes: number[][] = [[], [7, 4], [2, 3], [9, 3, 2, 3]]
/** A shorter drag than this, in pixels, is a click. */
const shortest = 8

/** The height of a chart in pixels, with room for the names of lanes. */
export function heightOf(chart: Chart): number {
  if (chart.kind === 'gantt' || chart.kind === 'boxes') return Math.min(640, 72 + 30 * chart.lanes.length)
  return chart.kind === 'lines' && chart.low === true ? 150 : 260
}

/** The top of a y axis that begins at 0. A level far above all values does not flatten them: its name says that it is above. */
export function topOf(greatest: number | null, level: LineChart['level']): number {
  const most = greatest === null || greatest <= 0 ? 1 : greatest
  return 1.06 * Math.max(most, level !== undefined && level.value <= farAbove * most ? level.value : 0)
}

/** A level that is so many times the greatest value is not drawn in its place. */
const farAbove = 4

/** The values of all lines on one x axis: null is a gap, undefined belongs to another line's x. */
export function aligned(chart: LineChart, log = false): uPlot.AlignedData {
  const tables = chart.lines.map((line): [number[], (number | null)[]] => [line.points.map(([x]) => x), line.points.map(([, y]) => (log && y !== null && y <= 0 ? null : y))])
  const first = tables[0]?.[0] ?? []
  const same = tables.every(([x]) => x.length === first.length && x.every((value, i) => value === first[i]))
  if (same) return [first, ...tables.map(([, y]) => y)]
  return uPlot.join(tables)
}

/** Lines as the tops of areas that lie on each other; hidden lines are left out. */
export function piled([x, ...lines]: uPlot.AlignedData, shown: readonly boolean[]): uPlot.AlignedData {
  type Values = (number | null | undefined)[]
  const sums: Values = Array.from(x, () => null)
  const tops = lines.map((line, i): Values => {
    const values: Values = Array.from(line)
    if (shown[i] !== true) return values
    for (const [at, value] of values.entries()) if (value !== null && value !== undefined) sums[at] = (sums[at] ?? 0) + value
    return values.map((value, at) => (value === null || value === undefined ? value : sums[at]))
  })
  return [x, ...tops]
}

/** The range of a chart's x values. */
export function wholeOf(chart: Chart): Part {
  if (chart.kind === 'gantt') return { from: 0, until: ends(chart) }
  if (chart.kind === 'boxes') return decadesAround(chart.boxes.flatMap(({ min, max }) => [min, max]))
  if (chart.kind === 'heat') return { from: chart.from ?? 0, until: chart.columns.at(-1)?.to ?? 1 }
  if (chart.decades) return decadesAround(chart.lines.flatMap((line) => line.points.map(([x]) => x)))
  const from = chart.from ?? 0
  const until = chart.lines.reduce((most, line) => Math.max(most, line.points.at(-1)?.[0] ?? 0), from)
  return { from, until: until > from ? until : from + 1 }
}

/** The powers of ten in a range, or every second or third if there are many. */
export function decades(min: number, max: number): number[] {
  const [first, last] = [Math.ceil(Math.log10(min) - 1e-9), Math.floor(Math.log10(max) + 1e-9)]
  const step = Math.ceil((last - first + 1) / 7)
  return Array.from({ length: Math.floor((last - first) / step) + 1 }, (_, i) => 10 ** (first + i * step))
}

/** Whether the x axis of a chart is logarithmic. */
const inDecades = (chart: Chart): boolean => chart.kind === 'boxes' || (chart.kind === 'lines' && chart.decades === true)

const has = ({ marks = [] }: Look): boolean => marks.length > 0

/** What makes two charts so different that one plot cannot show both. */
export function shapeOf(chart: Chart): string {
  return JSON.stringify([chart.kind, chart.kind === 'lines' && chart.stacked, chart.x, chart.kind === 'lines' ? chart.lines.map((line) => line.name) : chart.kind === 'gantt' || chart.kind === 'boxes' ? chart.lanes : ''])
}

export class Plot {
  #plot: uPlot
  #chart: Chart
  #look: Look
  /** Factor of letters and lines, for pictures. */
  readonly #size: number
  /** Whether the Shift key was down at the end of a drag. */
  #shift = false

  constructor(element: HTMLElement, chart: Chart, look: Look, listener: Listener | undefined, { width, height, size }: { width: number; height: number; size: number }) {
    this.#chart = chart
    this.#look = look
    this.#size = size
    this.#plot = new uPlot(this.#options(width, height, listener), this.#data(), element)
  }

  /** Shows new data, or the same in another way. */
  update(chart: Chart, look: Look): void {
    const before = this.#look
    this.#chart = chart
    this.#look = look
    this.#plot.batch(() => {
      if (chart.kind === 'lines') {
        for (const [i, line] of chart.lines.entries()) {
          if (before.hidden.has(line.name) !== look.hidden.has(line.name)) this.#plot.setSeries(i + 1, { show: !look.hidden.has(line.name) }, false)
        }
      }
      if (chart.kind === 'lines' && chart.stacked === true) {
        this.#plot.delBand(null)
        for (const band of this.#bands()) this.#plot.addBand(band)
      }
      this.#plot.setData(this.#data())
      // The signs of marks need room above the drawing.
      if (has(before) !== has(look)) this.#plot.redraw(false, true)
    })
  }

  /** Moves the crosshair, as if the mouse were there, and returns what the chart shows at it. */
  point(at: number | undefined, byMouse: boolean): Reading {
    const u = this.#plot
    if (!byMouse) u.setCursor(at === undefined ? { left: -10, top: -10 } : { left: u.valToPos(at, 'x'), top: u.bbox.height / uPlot.pxRatio / 2 }, false)
    return this.#read(at)
  }

  resize(width: number, height: number): void {
    if (width > 0 && (width !== this.#plot.width || height !== this.#plot.height)) this.#plot.setSize({ width, height })
  }

  get canvas(): HTMLCanvasElement {
    return this.#plot.ctx.canvas
  }

  destroy(): void {
    this.#plot.destroy()
  }

  #data(): uPlot.AlignedData {
    const chart = this.#chart
    if (chart.kind === 'lines') {
      const data = aligned(chart, this.#look.log)
      return chart.stacked === true ? piled(data, chart.lines.map(({ name }) => !this.#look.hidden.has(name))) : data
    }
    if (chart.kind === 'gantt' || chart.kind === 'boxes') {
      const { from, until } = wholeOf(chart)
      return [[from, until], [null, null]]
    }
    return [chart.columns.map((column) => (column.from + column.to) / 2), chart.columns.map(() => null)]
  }

  #read(at: number | undefined): Reading {
    const chart = this.#chart
    const values = new Map<string, number | null>()
    if (at === undefined) return { values, text: '' }
    if (chart.kind === 'heat') return { values, text: columnAt(chart, at) }
    if (chart.kind === 'gantt' || chart.kind === 'boxes') {
      const lane = Math.round(this.#plot.posToVal(this.#plot.cursor.top ?? -1, 'y'))
      return { values, text: chart.kind === 'gantt' ? barAt(chart, at, lane) : boxAt(chart, lane) }
    }
    // Each line has its own times, so the nearest value that it has is read.
    for (const line of chart.lines) {
      const nearest = line.points.reduce<[number, number | null] | undefined>((best, point) => (best === undefined || Math.abs(point[0] - at) < Math.abs(best[0] - at) ? point : best), undefined)
      values.set(line.name, nearest?.[1] ?? null)
    }
    return { values, text: '' }
  }

  #options(width: number, height: number, listener: Listener | undefined): uPlot.Options {
    const size = this.#size
    const surfaceNow = surface(this.#look.isDark)
    const axis = (more: uPlot.Axis): uPlot.Axis => ({
      stroke: surfaceNow.muted,
      font: `${12 * size}px ${font}`,
      labelFont: `${12 * size}px ${font}`,
      labelSize: 18 * size,
      gap: 6 * size,
      grid: { stroke: surfaceNow.grid, width: size },
      ticks: { stroke: surfaceNow.grid, width: size, size: 5 * size },
      ...more,
    })
    const named = (): ReturnType<typeof xAxis> => {
      const { from, until } = this.#look.part ?? wholeOf(this.#chart)
      return xAxis(this.#chart.x, from, until, this.#chart.kind === 'lines' && this.#chart.marked === true)
    }
    return {
      width,
      height,
      padding: [() => (has(this.#look) ? 26 : 10) * size, 22 * size, 0, 0],
      legend: { show: false },
      cursor: {
        y: false,
        points: { size: 7, fill: (u, i) => String(u.series[i]?.stroke instanceof Function ? u.series[i].stroke(u, i) : surfaceNow.text) },
        drag: { x: true, y: false, setScale: false, dist: shortest },
        bind: {
          dblclick: () => () => {
            listener?.reset()
            return null
          },
          mouseup: (_, __, handler) => (event) => {
            this.#shift = event.shiftKey
            return handler(event)
          },
        },
      },
      scales: {
        x: {
          time: false,
          ...(inDecades(this.#chart) ? { distr: 3 as const } : {}),
          range: () => {
            const { from, until } = this.#look.part ?? wholeOf(this.#chart)
            return [from, until]
          },
        },
        y: this.#scale(),
      },
      axes: [
        axis({
          size: 30 * size,
          label: () => named().name,
          // Whatever fits, of the steps that people read easily.
          incrs: (_, __, min, max, dimension, space) => {
            const { steps } = named()
            const least = ((max - min) * space) / Math.max(dimension, 1)
            return steps ?? [1, 2, 5].flatMap((n) => [0.001, 0.01, 0.1, 1, 10, 100, 1000, 10_000].map((ten) => n * ten)).sort((a, b) => a - b).filter((step) => step >= least / 10)
          },
          space: 70 * size,
          ...(inDecades(this.#chart) ? { splits: (_: uPlot, __: number, min: number, max: number) => decades(min, max) } : {}),
          values: (_, splits: (number | null)[]) => splits.map((value) => (value === null ? '' : inDecades(this.#chart) ? short(value, true) : named().text(value))),
        }),
        axis(this.#yAxis()),
      ],
      series: [{}, ...this.#series()],
      bands: this.#bands(),
      hooks: {
        drawClear: [(u) => this.#drawPhases(u)],
        drawAxes: [(u) => this.#drawContent(u)],
        draw: [
          (u) => {
            this.#drawLevel(u)
            this.#drawMarks(u)
            listener?.drawn((x) => {
              const left = u.valToPos(x, 'x')
              return left < -0.5 || left > u.bbox.width / uPlot.pxRatio + 0.5 ? undefined : left + u.bbox.left / uPlot.pxRatio
            })
          },
        ],
        setCursor: [(u) => listener?.cursor((u.cursor.left ?? -1) < 0 ? undefined : u.posToVal(u.cursor.left ?? 0, 'x'))],
        setSelect: [
          (u) => {
            const { left, width: wide } = u.select
            if (wide < shortest) return
            listener?.select(u.posToVal(left, 'x'), u.posToVal(left + wide, 'x'), this.#shift)
            u.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false)
          },
        ],
      },
    }
  }

  #scale(): uPlot.Scale {
    const chart = this.#chart
    if (chart.kind === 'gantt' || chart.kind === 'boxes') return { dir: -1, range: () => [-0.6, ('lanes' in this.#chart ? this.#chart.lanes.length : 1) - 0.4] }
    if (chart.kind === 'heat') {
      return {
        distr: 3,
        range: () => {
          const { low, high } = levels(this.#chart.kind === 'heat' ? this.#chart.columns : [])
          return [10 ** Math.floor(Math.log10(low)), 10 ** Math.ceil(Math.log10(high))]
        },
      }
    }
    if (this.#look.log) return { distr: 3, range: (_, min, max) => (min === null || max === null ? [0.1, 10] : uPlot.rangeLog(min, max, 10, false)) }
    // The axis begins at 0, so that heights can be compared.
    return { range: (_, __, max) => [0, topOf(max, this.#chart.kind === 'lines' ? this.#chart.level : undefined)] }
  }

  #yAxis(): uPlot.Axis {
    const chart = this.#chart
    const size = this.#size
    if (chart.kind === 'gantt' || chart.kind === 'boxes') {
      return { size: (chart.kind === 'boxes' ? 1.4 : 1) * margin * size, splits: () => chart.lanes.map((_, i) => i), values: (_, splits) => splits.map((i) => chart.lanes[i] ?? ''), grid: { show: false }, ticks: { show: false } }
    }
    const log = chart.kind === 'heat' || this.#look.log
    return {
      size: margin * size,
      space: 36 * size,
      // Without minor lines, which would be denser than the data.
      ...(log ? { splits: (_: uPlot, __: number, min: number, max: number) => decades(min, max) } : {}),
      // uPlot passes null for a label that has no room.
      values: (_, splits: (number | null)[]) => splits.map((value) => (value === null ? '' : short(value, log))),
    }
  }

  #series(): uPlot.Series[] {
    const chart = this.#chart
    const { isDark, hidden } = this.#look
    if (chart.kind !== 'lines') return [{ points: { show: false } }]
    return chart.lines.map((line, i) => ({
      label: line.name,
      stroke: () => colour(line.is, isDark),
      width: (line.thin === true || chart.stacked === true ? 1 : 2) * this.#size,
      // An area shows its colour, so its edge needs no dashes.
      dash: chart.stacked === true ? [] : (strokes[i % strokes.length] ?? []).map((length) => length * this.#size),
      ...(chart.stacked === true ? { fill: () => `${colour(line.is, isDark)}b0` } : {}),
      show: !hidden.has(line.name),
      // A single point has no line, so it is marked.
      points: { show: chart.marked === true || line.points.length < 2, size: 7 * this.#size, fill: colour(line.is, isDark) },
    }))
  }

  /** Between each area of a stacked chart and the visible one below it. */
  #bands(): uPlot.Band[] {
    const chart = this.#chart
    if (chart.kind !== 'lines' || chart.stacked !== true) return []
    const visible = chart.lines.flatMap(({ name }, i) => (this.#look.hidden.has(name) ? [] : [i + 1]))
    return visible.slice(1).map((above, i): uPlot.Band => ({ series: [above, visible[i] ?? 1] }))
  }

  /** Shades the times that are not measured, and names them. */
  #drawPhases(u: uPlot): void {
    const chart = this.#chart
    if (chart.kind === 'gantt' || chart.kind === 'boxes' || chart.phases.length === 0) return
    const { shade, muted } = surface(this.#look.isDark)
    const { left, top, width, height } = u.bbox
    u.ctx.save()
    u.ctx.beginPath()
    u.ctx.rect(left, top, width, height)
    u.ctx.clip()
    u.ctx.font = `${11 * this.#size * uPlot.pxRatio}px ${font}`
    u.ctx.textAlign = 'left'
    u.ctx.textBaseline = 'top'
    for (const phase of chart.phases) {
      const [from, to] = [u.valToPos(phase.from, 'x', true), u.valToPos(phase.to, 'x', true)]
      u.ctx.fillStyle = shade
      u.ctx.fillRect(from, top, to - from, height)
      u.ctx.fillStyle = muted
      const space = 5 * this.#size * uPlot.pxRatio
      if (u.ctx.measureText(phase.name).width + 2 * space < to - from) u.ctx.fillText(phase.name, Math.max(from, left) + space, top + space)
    }
    u.ctx.restore()
  }

  /** Draws a dashed line at the level, with its name; at the top if the level is above. */
  #drawLevel(u: uPlot): void {
    const chart = this.#chart
    if (chart.kind !== 'lines' || chart.level === undefined) return
    const ratio = this.#size * uPlot.pxRatio
    const { text, background } = surface(this.#look.isDark)
    const { left, top, width } = u.bbox
    const above = chart.level.value > (u.scales['y']?.max ?? 0)
    const y = above ? top : u.valToPos(chart.level.value, 'y', true)
    u.ctx.save()
    u.ctx.strokeStyle = u.ctx.fillStyle = text
    if (!above) {
      u.ctx.lineWidth = 1.5 * ratio
      u.ctx.setLineDash([7 * ratio, 4 * ratio])
      u.ctx.beginPath()
      u.ctx.moveTo(left, y)
      u.ctx.lineTo(left + width, y)
      u.ctx.stroke()
    }
    // The name is below the line, because there may be no room above, and has a rim, so that areas do not hide it.
    u.ctx.font = `600 ${11 * ratio}px ${font}`
    u.ctx.textAlign = 'right'
    u.ctx.textBaseline = 'top'
    u.ctx.setLineDash([])
    u.ctx.lineJoin = 'round'
    u.ctx.lineWidth = 4 * ratio
    u.ctx.strokeStyle = background
    const name = `${above ? '↑ ' : ''}${chart.level.name}`
    u.ctx.strokeText(name, left + width - 6 * ratio, y + 4 * ratio)
    u.ctx.fillText(name, left + width - 6 * ratio, y + 4 * ratio)
    u.ctx.restore()
  }

  /** Draws a thin line for each mark, and shades spans. */
  #drawMarks(u: uPlot): void {
    const { marks = [], lit, isDark, signs } = this.#look
    if (marks.length === 0) return
    const ratio = this.#size * uPlot.pxRatio
    const { muted, accent } = surface(isDark)
    const { left, top, width, height } = u.bbox
    u.ctx.save()
    u.ctx.font = `600 ${12 * ratio}px ${font}`
    u.ctx.textAlign = 'center'
    u.ctx.textBaseline = 'bottom'
    for (const mark of marks) {
      const [from, until] = [u.valToPos(mark.from, 'x', true), u.valToPos(mark.until, 'x', true)]
      if (until < left - 1 || from > left + width + 1) continue
      u.ctx.save()
      u.ctx.beginPath()
      u.ctx.rect(left - ratio, top, width + 2 * ratio, height)
      u.ctx.clip()
      u.ctx.strokeStyle = u.ctx.fillStyle = mark.note === undefined ? muted : accent
      u.ctx.lineWidth = (mark.key === lit ? 2.5 : 1) * ratio
      u.ctx.setLineDash(mark.key === lit ? [] : [3 * ratio, 3 * ratio])
      if (until > from) {
        u.ctx.globalAlpha = mark.key === lit ? 0.25 : 0.12
        u.ctx.fillRect(from, top, until - from, height)
        u.ctx.globalAlpha = 1
      }
      for (const x of until > from ? [from, until] : [from]) {
        u.ctx.beginPath()
        u.ctx.moveTo(x, top)
        u.ctx.lineTo(x, top + height)
        u.ctx.stroke()
      }
      u.ctx.restore()
      u.ctx.fillStyle = mark.note === undefined ? muted : accent
      if (signs === true && from >= left - 1) u.ctx.fillText(mark.sign, from, top - 3 * ratio)
    }
    u.ctx.restore()
  }

  /** Draws what is not lines, above the grid. */
  #drawContent(u: uPlot): void {
    const chart = this.#chart
    if (chart.kind === 'lines') return
    const { left, top, width, height } = u.bbox
    u.ctx.save()
    u.ctx.beginPath()
    u.ctx.rect(left, top, width, height)
    u.ctx.clip()
    if (chart.kind === 'heat') drawCells(u, chart, this.#look.isDark)
    else if (chart.kind === 'boxes') drawBoxes(u, chart, this.#look.isDark, this.#size * uPlot.pxRatio)
    else drawBars(u, chart, this.#look.isDark, this.#size * uPlot.pxRatio, font)
    u.ctx.restore()
  }
}
