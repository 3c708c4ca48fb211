// The options with which ECharts draws a chart. They are plain data, so that tests can read them.

import type { CustomSeriesOption, EChartsOption, LineSeriesOption } from './echarts.ts'
import { bounds, shadeOf } from './heat.ts'
import type { Bar, Chart, GanttChart, HeatChart, LineChart } from './chart.ts'
import { clock, count, millis, seconds } from '../format.ts'
import { colour, shadesOf, surface, type Surface } from './palette.ts'

const font = 'system-ui, sans-serif'
const strokes: ('solid' | 'dashed' | 'dotted' | number[])[] = ['solid', 'dashed', 'dotted', [8, 3, 2, 3]]

/** The height of a chart in pixels, with room for the names of lanes. */
export function heightOf(chart: Chart): number {
  return chart.kind === 'gantt' ? Math.min(640, 84 + 30 * chart.lanes.length) : 300
}

/** The option of a chart, without animation. */
export function optionOf(chart: Chart, isDark: boolean): EChartsOption {
  if (chart.kind === 'gantt') return ganttOption(chart, isDark)
  return chart.kind === 'heat' ? heatOption(chart, isDark) : lineOption(chart, isDark)
}

/** The options of every chart. */
function frame(s: Surface): EChartsOption {
  return {
    animation: false,
    backgroundColor: 'transparent',
    textStyle: { fontFamily: font, color: s.text },
    // The page has the description and the table.
    aria: { enabled: false },
    tooltip: {
      // Drawn in the chart, because a tooltip in HTML has style attributes, which the
      // Content-Security-Policy forbids, and would interpret names as markup.
      renderMode: 'richText',
      confine: true,
      backgroundColor: s.background,
      borderColor: s.line,
      textStyle: { color: s.text, fontFamily: font, fontSize: 12 },
    },
  }
}

/**
 * A number on an axis. The last label of an axis that ends with its data may be any number, so it is rounded to
 * the resolution of the axis.
 */
export function label(value: number, span: number): string {
  const digits = Math.min(6, Math.max(0, 1 - Math.floor(Math.log10(Math.max(span, 1e-6)))))
  return value.toLocaleString('en-US', { maximumFractionDigits: digits })
}

/** The distances between the labels of a time axis, in seconds. */
const steps = [60, 120, 300, 600, 900, 1800, 3600, 7200, 10_800, 14_400, 21_600, 43_200, 86_400]

/** An x axis. It shows long times in seconds as minutes and hours. */
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

/** A value in a tooltip, with its unit. */
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
    // A single point has no line, so it is marked.
    showSymbol: chart.marked === true || line.points.length < 2,
    symbol: chart.marked === true || line.points.length < 2 ? 'circle' : 'none',
    symbolSize: 6,
    connectNulls: false,
    color: colour(line.is, isDark),
    // Lines differ in more than their colour.
    lineStyle: { width: 2, type: strokes[i % strokes.length] ?? 'solid' },
    emphasis: { disabled: true },
    ...(i === 0 && chart.phases.length > 0
      ? { markArea: shaded(chart.phases, s) }
      : {}),
  }))
  return {
    ...frame(s),
    tooltip: { ...frame(s).tooltip, trigger: 'axis', valueFormatter: (value: unknown) => valueOf(value, chart.unit) },
    // On a narrow screen the legend has pages.
    legend: { type: 'scroll', top: 0, left: 0, itemWidth: 32, textStyle: { color: s.text, fontFamily: font } },
    grid: { top: 40, right: 16, bottom: 44, left: 72 },
    xAxis: { type: 'value', min: from, max: 'dataMax', ...xAxis(s, chart.x, from, until), ...(chart.marked === true ? { minInterval: 1 } : {}) },
    // The y axis begins at 0, so that heights can be compared.
    yAxis: { type: 'value', min: 0, ...axis(s, chart.y), nameGap: 56, axisLabel: { color: s.muted, formatter: (value: number) => value.toLocaleString('en-US') } },
    series,
  }
}

function ganttOption(chart: GanttChart, isDark: boolean): EChartsOption {
  const s = surface(isDark)
  const series: CustomSeriesOption = {
    type: 'custom',
    // The values of a bar are its lane, begin and end.
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
              // A transaction that was not done is hollow, so that it differs in more than colour.
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

/** The times that are not measured, as a background. */
function shaded(phases: LineChart['phases'], s: Surface) {
  return {
    silent: true,
    itemStyle: { color: s.shade },
    label: { color: s.muted, position: 'insideTop' as const },
    data: phases.map((phase) => [{ name: phase.name, xAxis: phase.from }, { xAxis: phase.to }] as [{ name: string; xAxis: number }, { xAxis: number }]),
  }
}

/**
 * Cells of one shade form one path, because thousands of them are redrawn each second, which would take too long
 * for separate elements.
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
            // Rounded, so that there are no gaps between neighbours.
            const [l, r, t, b] = [Math.round(left), Math.max(Math.round(right), Math.round(left) + 1), Math.round(top), Math.round(bottom)]
            parts.push(`M${l} ${t}H${r}V${b}H${l}Z`)
          }
        }
        if (parts.length === 0) return null
        return { type: 'path', shape: { pathData: parts.join('') }, style: { fill: colours[shade] ?? s.text } }
      },
    }
  })
  // An invisible element that shows the tooltip.
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

/** A rate with few digits. */
function rate(value: number): string {
  return value >= 10 ? count(value) : String(Number(value.toPrecision(2)))
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
