// How ECharts is to draw a chart. Everything is plain data, so that tests read it.

import type { CustomSeriesOption, EChartsOption, LineSeriesOption } from './echarts.ts'
import { bounds, shadeOf } from './heat.ts'
import type { Bar, Chart, GanttChart, HeatChart, LineChart } from './chart.ts'
import { clock, count, millis, seconds } from '../format.ts'
import { colour, shadesOf, surface, type Surface } from './palette.ts'

const font = 'system-ui, sans-serif'
const strokes: ('solid' | 'dashed' | 'dotted' | number[])[] = ['solid', 'dashed', 'dotted', [8, 3, 2, 3]]

/** How tall a chart is, in pixels: lanes have room for their names. */
export function heightOf(chart: Chart): number {
  return chart.kind === 'gantt' ? Math.min(640, 84 + 30 * chart.lanes.length) : 300
}

/** The option of a chart. Animation is left out: figures do not come flying in. */
export function optionOf(chart: Chart, isDark: boolean): EChartsOption {
  if (chart.kind === 'gantt') return ganttOption(chart, isDark)
  return chart.kind === 'heat' ? heatOption(chart, isDark) : lineOption(chart, isDark)
}

/** What every chart has. */
function frame(s: Surface): EChartsOption {
  return {
    animation: false,
    backgroundColor: 'transparent',
    textStyle: { fontFamily: font, color: s.text },
    // The description stands beside the chart, and the table behind it.
    aria: { enabled: false },
    tooltip: {
      // Drawn in the chart: a tooltip in HTML has style attributes, which the
      // Content-Security-Policy forbids, and would show names as markup.
      renderMode: 'richText',
      confine: true,
      backgroundColor: s.background,
      borderColor: s.line,
      textStyle: { color: s.text, fontFamily: font, fontSize: 12 },
    },
  }
}

/**
 * A number on an axis. Where an axis ends with its data, its last label may be any number: it is
 * rounded to what can be seen in so long an axis.
 */
export function label(value: number, span: number): string {
  const digits = Math.min(6, Math.max(0, 1 - Math.floor(Math.log10(Math.max(span, 1e-6)))))
  return value.toLocaleString('en-US', { maximumFractionDigits: digits })
}

/** The lengths between the labels of a clock, in seconds. */
const steps = [60, 120, 300, 600, 900, 1800, 3600, 7200, 10_800, 14_400, 21_600, 43_200, 86_400]

/** An axis of time or of something else: long times in seconds are shown as by a clock. */
function xAxis(s: Surface, name: string, from: number, until: number) {
  const span = until - from
  const plain = { ...axis(s, name, span), nameGap: 28, splitLine: { show: false } }
  if (!name.endsWith('(s)') || span <= 600) return plain
  return {
    ...plain,
    name: name.replace(/\(s\)$/, span < 3600 && until < 3600 ? '(min:s)' : '(h:min:s)'),
    interval: steps.find((step) => span / step <= 10) ?? 86_400 * Math.ceil(span / 864_000),
    axisLabel: { ...plain.axisLabel, formatter: (value: number) => clock(value) },
  }
}

function axis(s: Surface, name: string, span = 1) {
  return {
    name,
    nameLocation: 'middle' as const,
    nameTextStyle: { color: s.muted, fontFamily: font },
    axisLabel: { color: s.muted, fontFamily: font, hideOverlap: true, formatter: (value: number | string) => (typeof value === 'number' ? label(value, span) : value) },
    axisLine: { lineStyle: { color: s.line } },
    axisTick: { lineStyle: { color: s.line } },
    splitLine: { lineStyle: { color: s.grid } },
  }
}

/** A figure of a line in a tooltip. */
function valueOf(value: unknown, unit: string): string {
  if (typeof value !== 'number') return '–'
  return `${unit === 'ms' ? millis(value) : unit === 's' ? seconds(value) : count(value)} ${unit}`.trimEnd()
}

function lineOption(chart: LineChart, isDark: boolean): EChartsOption {
  const s = surface(isDark)
  const from = chart.from ?? 0
  const until = chart.lines.reduce((most, line) => Math.max(most, line.points.at(-1)?.[0] ?? 0), 0)
  const series: LineSeriesOption[] = chart.lines.map((line, i) => ({
    type: 'line',
    name: line.name,
    data: line.points,
    // A single second would have no line.
    showSymbol: chart.marked === true || line.points.length < 2,
    symbol: chart.marked === true || line.points.length < 2 ? 'circle' : 'none',
    symbolSize: 6,
    connectNulls: false,
    color: colour(line.is, isDark),
    // Lines differ by more than their colour.
    lineStyle: { width: 2, type: strokes[i % strokes.length] ?? 'solid' },
    emphasis: { disabled: true },
    ...(i === 0 && chart.phases.length > 0
      ? { markArea: shaded(chart.phases, s) }
      : {}),
  }))
  return {
    ...frame(s),
    tooltip: { ...frame(s).tooltip, trigger: 'axis', valueFormatter: (value: unknown) => valueOf(value, chart.unit) },
    // On a narrow screen it is leafed through.
    legend: { type: 'scroll', top: 0, left: 0, itemWidth: 32, textStyle: { color: s.text, fontFamily: font } },
    grid: { top: 40, right: 16, bottom: 44, left: 72 },
    xAxis: { type: 'value', min: from, max: 'dataMax', ...xAxis(s, chart.x, from, until), ...(chart.marked === true ? { minInterval: 1 } : {}) },
    // Rates and times begin at zero: half as high is half as much.
    yAxis: { type: 'value', min: 0, ...axis(s, chart.y), nameGap: 56, axisLabel: { color: s.muted, formatter: (value: number) => value.toLocaleString('en-US') } },
    series,
  }
}

function ganttOption(chart: GanttChart, isDark: boolean): EChartsOption {
  const s = surface(isDark)
  const series: CustomSeriesOption = {
    type: 'custom',
    // The values of a bar are its lane, its begin and its end.
    encode: { x: [1, 2], y: 0 },
    data: chart.bars.map((bar) => ({
      name: bar.name,
      value: [bar.lane, bar.from, bar.from + bar.seconds],
    })),
    renderItem: (parameters, api) => {
      const bar = chart.bars[parameters.dataIndex]
      const from = api.coord([api.value(1), api.value(0)])
      const to = api.coord([api.value(2), api.value(0)])
      if (bar === undefined || from[0] === undefined || from[1] === undefined || to[0] === undefined) return null
      const height = 18
      const width = Math.max(to[0] - from[0], 1)
      const label = labelOf(bar)
      const fill = bar.broken === undefined ? colour(bar.name, isDark) : s.background
      return {
        type: 'group',
        children: [
          {
            type: 'rect',
            shape: { x: from[0], y: from[1] - height / 2, width, height },
            style: {
              fill,
              // What was not done is hollow, and so told apart without its colour.
              stroke: bar.broken === undefined ? s.background : colour('failed', isDark),
              lineWidth: bar.broken === undefined ? 0.5 : 2,
            },
          },
          ...(width > 7 * label.length + 4
            ? [
                {
                  type: 'text' as const,
                  silent: true,
                  style: {
                    text: label,
                    x: from[0] + width / 2,
                    y: from[1],
                    align: 'center' as const,
                    verticalAlign: 'middle' as const,
                    fontFamily: font,
                    fontSize: 11,
                    fill: inkOn(fill),
                  },
                },
              ]
            : []),
        ],
      }
    },
  }
  return {
    ...frame(s),
    tooltip: {
      ...frame(s).tooltip,
      trigger: 'item',
      formatter: (parameters: unknown) => {
        const bar = chart.bars[(parameters as { dataIndex: number }).dataIndex]
        if (bar === undefined) return ''
        const lines = [bar.name, `${chart.lanes[bar.lane] ?? ''}, from ${seconds(bar.from)} s`, `took ${seconds(bar.seconds)} s`]
        return (bar.broken === undefined ? lines : [...lines, bar.broken]).join('\n')
      },
    },
    grid: { top: 8, right: 16, bottom: 44, left: 88 },
    xAxis: { type: 'value', min: 0, ...xAxis(s, chart.x, 0, Math.max(...chart.bars.map((bar) => bar.from + bar.seconds), 0)), splitLine: { lineStyle: { color: s.grid } } },
    yAxis: { type: 'category', data: chart.lanes, inverse: true, ...axis(s, ''), splitLine: { show: false } },
    series: [series],
  }
}

/** The times that are not measured, behind what is drawn. */
function shaded(phases: LineChart['phases'], s: Surface) {
  return {
    silent: true,
    itemStyle: { color: s.shade },
    label: { color: s.muted, position: 'insideTop' as const },
    data: phases.map((phase) => [{ name: phase.name, xAxis: phase.from }, { xAxis: phase.to }] as [{ name: string; xAxis: number }, { xAxis: number }]),
  }
}

/**
 * Cells of one shade are one path: thousands of them are drawn anew each second, and as elements
 * of their own would take longer than that.
 */
function heatOption(chart: HeatChart, isDark: boolean): EChartsOption {
  const s = surface(isDark)
  const until = chart.columns.at(-1)?.to ?? 1
  const limits = bounds(chart.columns)
  const colours = shadesOf(isDark)
  const low = Math.min(...chart.columns.map((column) => column.cells[0]?.low ?? Infinity))
  const high = Math.max(...chart.columns.map((column) => column.cells.at(-1)?.high ?? 0))
  const levels = limits.map((limit, shade): CustomSeriesOption => {
    return {
      type: 'custom',
      name: `≤ ${rate(limit)}`,
      color: colours[shade] ?? s.text,
      silent: true,
      clip: true,
      data: [[0, low]],
      renderItem: (_, api) => {
        const parts: string[] = []
        for (const column of chart.columns) {
          const length = column.to - column.from || 1
          for (const cell of column.cells) {
            if (shadeOf(cell.count / length, limits) !== shade) continue
            const [left = 0, bottom = 0] = api.coord([column.from, cell.low])
            const [right = 0, top = 0] = api.coord([column.to, cell.high])
            // Rounded, so that there are no seams between neighbours.
            const [l, r, t, b] = [Math.round(left), Math.max(Math.round(right), Math.round(left) + 1), Math.round(top), Math.round(bottom)]
            parts.push(`M${l} ${t}H${r}V${b}H${l}Z`)
          }
        }
        if (parts.length === 0) return null
        return { type: 'path', shape: { pathData: parts.join('') }, style: { fill: colours[shade] ?? s.text } }
      },
    }
  })
  // It is not seen: where the pointer is, it says what is there.
  const said: LineSeriesOption = {
    type: 'line',
    name: 'median',
    data: chart.columns.map((column) => [(column.from + column.to) / 2, column.median]),
    showSymbol: false,
    silent: true,
    color: s.text,
    lineStyle: { opacity: 0 },
    ...(chart.phases.length > 0 ? { markArea: shaded(chart.phases, s) } : {}),
  }
  return {
    ...frame(s),
    tooltip: {
      ...frame(s).tooltip,
      trigger: 'axis',
      formatter: (parameters: unknown) => {
        const list = parameters as { seriesName: string; dataIndex: number }[]
        const column = chart.columns[list.find((one) => one.seriesName === 'median')?.dataIndex ?? -1]
        if (column === undefined) return ''
        const most = column.cells.reduce((a, b) => (b.count > a.count ? b : a))
        return [
          `${seconds(column.from)} to ${seconds(column.to)} s: ${count(column.done)} transactions`,
          `half of them within about ${millis(column.median)} ms`,
          `most between ${millis(most.low)} and ${millis(most.high)} ms: ${count(most.count)}`,
          `the longest below ${millis(column.cells.at(-1)?.high)} ms`,
        ].join('\n')
      },
    },
    legend: {
      type: 'scroll',
      top: 0,
      left: 0,
      itemWidth: 14,
      itemHeight: 14,
      itemGap: 8,
      icon: 'rect',
      data: levels.map((level) => String(level.name)),
      formatter: (name: string) => (name === levels.at(-1)?.name ? `${name} a second` : name),
      textStyle: { color: s.text, fontFamily: font },
    },
    grid: { top: 40, right: 16, bottom: 44, left: 72 },
    xAxis: { type: 'value', min: 0, max: until, ...xAxis(s, chart.x, 0, until) },
    yAxis: {
      type: 'log',
      logBase: 10,
      min: 10 ** Math.floor(Math.log10(low)),
      max: 10 ** Math.ceil(Math.log10(high)),
      ...axis(s, chart.y),
      nameGap: 56,
      axisLabel: { color: s.muted, formatter: (value: number) => value.toLocaleString('en-US', { maximumFractionDigits: 6 }) },
    },
    series: [said, ...levels],
  }
}

/** A rate in few digits. */
function rate(value: number): string {
  return value >= 10 ? count(value) : String(Number(value.toPrecision(2)))
}

/** What stands in a bar: the number of its kind, or else its first word. */
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
