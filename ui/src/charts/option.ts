// How ECharts is to draw a chart. Everything is plain data, so that tests read it.

import type { CustomSeriesOption, EChartsOption, LineSeriesOption } from './echarts.ts'
import type { Bar, Chart, GanttChart, LineChart } from './chart.ts'
import { count, millis, seconds } from '../format.ts'
import { colour, surface, type Surface } from './palette.ts'

const font = 'system-ui, sans-serif'
const strokes: ('solid' | 'dashed' | 'dotted' | number[])[] = ['solid', 'dashed', 'dotted', [8, 3, 2, 3]]

/** How tall a chart is, in pixels: lanes have room for their names. */
export function heightOf(chart: Chart): number {
  return chart.kind === 'gantt' ? Math.min(640, 84 + 30 * chart.lanes.length) : 300
}

/** The option of a chart. Animation is left out: figures do not come flying in. */
export function optionOf(chart: Chart, isDark: boolean): EChartsOption {
  return chart.kind === 'gantt' ? ganttOption(chart, isDark) : lineOption(chart, isDark)
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

function axis(s: Surface, name: string) {
  return {
    name,
    nameLocation: 'middle' as const,
    nameTextStyle: { color: s.muted, fontFamily: font },
    axisLabel: { color: s.muted, fontFamily: font },
    axisLine: { lineStyle: { color: s.line } },
    axisTick: { lineStyle: { color: s.line } },
    splitLine: { lineStyle: { color: s.grid } },
  }
}

/** A figure of a line in a tooltip. */
function valueOf(value: unknown, unit: string): string {
  if (typeof value !== 'number') return '–'
  return `${unit === 'ms' ? millis(value) : count(value)} ${unit}`
}

function lineOption(chart: LineChart, isDark: boolean): EChartsOption {
  const s = surface(isDark)
  const series: LineSeriesOption[] = chart.lines.map((line, i) => ({
    type: 'line',
    name: line.name,
    data: line.points,
    // A single second would have no line.
    showSymbol: line.points.length < 2,
    symbolSize: 6,
    connectNulls: false,
    color: colour(line.is, isDark),
    // Lines differ by more than their colour.
    lineStyle: { width: 2, type: strokes[i % strokes.length] ?? 'solid' },
    emphasis: { disabled: true },
    ...(i === 0 && chart.phases.length > 0
      ? {
          markArea: {
            silent: true,
            itemStyle: { color: s.shade },
            label: { color: s.muted, position: 'insideTop' as const },
            data: chart.phases.map((phase) => [{ name: phase.name, xAxis: phase.from }, { xAxis: phase.to }] as [{ name: string; xAxis: number }, { xAxis: number }]),
          },
        }
      : {}),
  }))
  return {
    ...frame(s),
    tooltip: { ...frame(s).tooltip, trigger: 'axis', valueFormatter: (value: unknown) => valueOf(value, chart.unit) },
    legend: { top: 0, left: 0, itemWidth: 32, textStyle: { color: s.text, fontFamily: font } },
    grid: { top: 40, right: 16, bottom: 44, left: 72 },
    xAxis: { type: 'value', min: 0, max: 'dataMax', ...axis(s, chart.x), nameGap: 28, splitLine: { show: false } },
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
    xAxis: { type: 'value', min: 0, ...axis(s, chart.x), nameGap: 28 },
    yAxis: { type: 'category', data: chart.lanes, inverse: true, ...axis(s, ''), splitLine: { show: false } },
    series: [series],
  }
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
