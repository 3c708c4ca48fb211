import { afterEach, describe, expect, test, vi } from 'vitest'
import type { Job, Series } from '../api/types.ts'
import queries from '../testdata/queries.json'
import series from '../testdata/series.json'
import { besideCharts, kindTimes, rateChart, responseChart, streamChart } from './build.ts'
import { csv, type GanttChart, type LineChart } from './chart.ts'
import { fileName, standalone } from './download.ts'
import { draw } from './echarts.ts'
import { heightOf, inkOn, label, labelOf, optionOf } from './option.ts'
import { colour, surface } from './palette.ts'

function there<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('there is no chart')
  return value
}

const rates = (): LineChart => there(rateChart(series as Series))
const streams = (): GanttChart => there(streamChart(queries as Job))

describe('charts of a series', () => {
  test('have a line for each count of transactions, and a table', () => {
    const chart = rates()
    const points = (series as Series).points
    expect(chart.lines.map((line) => line.name)).toContain("virtual users' count")
    for (const line of chart.lines) expect(line.points).toHaveLength(points.length)
    expect(chart.table.rows).toHaveLength(points.length)
    expect(chart.table.rows.every((row) => row.length === chart.table.columns.length)).toBe(true)
    expect(chart.table.rows[0]?.at(-1)).toBe(points[0]?.client_tpm)
  })

  test('show the ramp-up and the measured time on one axis, and mark the ramp-up', () => {
    const chart = rates()
    const times = chart.table.rows.map((row) => Number(row[0]))
    expect(times).toEqual([...times].sort((a, b) => a - b))
    const phases = chart.table.rows.map((row) => row[1])
    expect(phases).toContain('ramp-up')
    expect(phases).toContain('measure')
    const rampup = there(chart.phases.find((phase) => phase.name === 'ramp-up'))
    expect(rampup.from).toBe(0)
    expect(rampup.to).toBe(times[phases.lastIndexOf('ramp-up')])
    expect(chart.phases.some((phase) => phase.name === 'measure')).toBe(false)
  })

  test('have percentiles in ascending order', () => {
    const chart = there(responseChart(series as Series))
    expect(chart.lines.map((line) => line.name)).toEqual(['p50', 'p95', 'p99', 'max'])
    for (const [, , ...figures] of chart.table.rows) {
      const numbers = figures.filter((n) => n !== null).map(Number)
      expect(numbers).toEqual([...numbers].sort((a, b) => a - b))
    }
  })

  test('show the values of observers, with one chart for each name', () => {
    const at = (second: number): string => new Date(Date.UTC(2026, 10, 22, 9, 0, second)).toISOString()
    const points = [{ at: at(1), phase: 'ramp-up', offset_seconds: 1 }]
    const tide = (sea: string, phase: number) => ({
      name: 'tide',
      unit: 'm',
      labels: { sea },
      points: [0, 1, 2, 3].map((second) => ({ at: at(second), value: Math.sin(second + phase) })),
    })
    const charts = besideCharts({ schema: 'sledge-tpm-1', id: '1', points, series: [{ name: 'sessions', points: [{ at: at(1), value: 7 }] }, tide('north', 0), tide('south', 1)] })
    expect(charts.map((chart) => [chart.title, chart.y, chart.lines.map((line) => line.name)])).toEqual([
      ['sessions', 'sessions', ['sessions']],
      ['tide', 'tide (m)', ['north', 'south']],
    ])
    expect(charts[1]?.lines[0]?.points).toEqual([0, 1, 2, 3].map((second) => [second, Math.sin(second)]))
    expect(charts[1]?.table.rows).toHaveLength(8)
    const alone = besideCharts({ schema: 'sledge-tpm-1', id: '1', points: [], series: [{ name: 'sessions', points: [{ at: at(1), value: 7 }] }, tide('north', 0)] })
    expect(alone.map((chart) => chart.lines[0]?.points[0]?.[0])).toEqual([0, -1])
  })

  test('are missing without counts', () => {
    expect(rateChart({ schema: 'sledge-tpm-1', id: '1', points: [] })).toBeUndefined()
    expect(responseChart({ schema: 'sledge-tpm-1', id: '1', points: [] })).toBeUndefined()
  })

  test('have gaps while the server was not asked', () => {
    const point = { phase: 'measure', client_tpm: 60 }
    const chart = there(
      rateChart({
        schema: 'sledge-tpm-1',
        id: '1',
        points: [
          { ...point, at: '2026-11-22T09:00:01Z', offset_seconds: 1, server_tpm: 61 },
          { ...point, at: '2026-11-22T09:00:02Z', offset_seconds: 2 },
        ],
      }),
    )
    expect(chart.lines[0]?.points).toEqual([
      [1, 61],
      [2, null],
    ])
  })
})

describe('the timeline of streams', () => {
  test('has a lane for each stream and a bar for each transaction', () => {
    const chart = streams()
    const spans = there((queries as Job).spans)
    expect(chart.bars).toHaveLength(spans.length)
    expect(chart.lanes).toHaveLength(new Set(spans.map((span) => span.user)).size)
    expect(chart.lanes.every((lane) => /^(stream \d+|refreshes)$/.test(lane))).toBe(true)
    expect(chart.bars.every((bar) => bar.lane >= 0 && bar.lane < chart.lanes.length)).toBe(true)
  })

  test('names the outcome of a transaction that was not done', () => {
    const span = { user: 1, kind: 'query 6', stream: 0, from_seconds: 1, seconds: 2, rows: 0 }
    const job = { ...(queries as Job), spans: [{ ...span, outcome: 'done' }, { ...span, outcome: 'failed' }, span] }
    expect(there(streamChart(job)).bars.map((bar) => bar.broken)).toEqual([undefined, 'failed'])
    expect(kindTimes(job.spans)).toMatchObject([{ kind: 'query 6', done: 1, notDone: 1, mean: 2 }])
  })

  test('is missing for jobs without such transactions', () => {
    expect(streamChart({ ...(queries as Job), spans: [] })).toBeUndefined()
  })
})

test('kinds are ordered by their numbers', () => {
  const kinds = kindTimes(there((queries as Job).spans)).map((kind) => kind.kind)
  const numbered = kinds.filter((kind) => /\d$/.test(kind)).map((kind) => Number(kind.split(' ').at(-1)))
  expect(numbered).toEqual([...numbered].sort((a, b) => a - b))
  expect(numbered.length).toBeGreaterThan(20)
})

describe('the option of a chart', () => {
  test('begins at zero and names its units', () => {
    const option = optionOf(rates(), false)
    expect(option.yAxis).toMatchObject({ min: 0, name: 'transactions a minute' })
    expect(option.xAxis).toMatchObject({ min: 0, name: 'time since the run began (s)' })
  })

  test('gives a name the same colour in each chart, light and dark', () => {
    for (const isDark of [false, true]) {
      const of = (chart: LineChart, name: string) => (optionOf(chart, isDark).series as { name: string; color: string }[]).find((s) => s.name === name)?.color
      expect(of(there(responseChart(series as Series)), 'p99')).toBe(colour('p99', isDark))
      expect(of(rates(), "virtual users' count")).toBe(colour('client', isDark))
    }
    expect(colour('p99', true)).not.toBe(colour('p99', false))
    expect(new Set(['p50', 'p95', 'p99', 'max'].map((name) => colour(name, false))).size).toBe(4)
  })

  test('draws tooltips without HTML, so that no name is interpreted as markup', () => {
    for (const chart of [rates(), streams()]) {
      expect(optionOf(chart, false).tooltip).toMatchObject({ renderMode: 'richText' })
    }
  })
})

test('the labels of an axis have no more digits than its resolution', () => {
  expect([label(17.02, 17.02), label(15, 17.02), label(43_205, 30), label(2.5, 4.51), label(4.5123, 4.51)]).toEqual(['17', '15', '43,205', '2.5', '4.5'])
  expect([label(0.04, 0.18), label(0, 0)]).toEqual(['0.04', '0'])
})

test('a long time axis has the format and the steps of a clock', () => {
  const axisOf = (from: number, until: number) => {
    const points: [number, number][] = [[from, 1], [until, 2]]
    return optionOf({ ...rates(), from, phases: [], lines: [{ name: 'a', is: 'client', points }] }, false).xAxis as { name: string; interval?: number; axisLabel: { formatter: (value: number) => string } }
  }
  const day = axisOf(0, 86_400.4)
  expect([day.name, day.interval, day.axisLabel.formatter(86_400.4)]).toEqual(['time since the run began (h:min:s)', 10_800, '24:00:00'])
  expect(axisOf(0, 1200)).toMatchObject({ name: 'time since the run began (min:s)', interval: 120 })
  expect(axisOf(0, 600).interval).toBeUndefined()
  expect(axisOf(43_200, 43_230).axisLabel.formatter(43_205)).toBe('43,205')
})

describe('the colours of series', () => {
  const names = ['server', 'client', 'p50', 'max', 'run 5', 'run 6', 'run 7'] // one of each colour
  const rgb = (hex: string): number[] => [1, 3, 5].map((from) => Number.parseInt(hex.slice(from, from + 2), 16) / 255).map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4))
  const times = (matrix: number[][], of: number[]): number[] => matrix.map((row) => row.reduce((sum, factor, i) => sum + factor * (of[i] ?? 0), 0))
  const luminance = (hex: string): number => times([[0.2126, 0.7152, 0.0722]], rgb(hex))[0] ?? 0
  /** A colour in Oklab (Ottosson 2020), whose distances correspond to perceived differences. */
  const oklab = (linear: number[]): number[] => {
    const cones = times([[0.4122214708, 0.5363325363, 0.0514459929], [0.2119034982, 0.6806995451, 0.1073969566], [0.0883024619, 0.2817188376, 0.6299787005]], linear.map((c) => Math.min(1, Math.max(0, c)))).map(Math.cbrt)
    return times([[0.2104542553, 0.793617785, -0.0040720468], [1.9779984951, -2.428592205, 0.4505937099], [0.0259040371, 0.7827717662, -0.808675766]], cones)
  }
  /** A colour as a dichromat sees it (Machado, Oliveira, Fernandes 2009, severity 1). */
  const eyes = {
    all: [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
    protanopes: [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    deuteranopes: [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.01182, 0.04294, 0.968881]],
    tritanopes: [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.3039]],
  }
  const apart = (a: string, b: string, eye: number[][]): number => {
    const [one, other] = [oklab(times(eye, rgb(a))), oklab(times(eye, rgb(b)))]
    return Math.hypot(...one.map((c, i) => c - (other[i] ?? 0)))
  }

  test.each([false, true])('have enough contrast, and can be distinguished by colour-blind people (dark: %s)', (isDark) => {
    const ground = luminance(surface(isDark).background)
    const colours = names.map((name) => colour(name, isDark))
    expect(new Set(colours).size).toBe(7)
    for (const each of colours) {
      const [low = 0, high = 0] = [luminance(each), ground].sort((a, b) => a - b)
      expect((high + 0.05) / (low + 0.05), each).toBeGreaterThanOrEqual(3)
    }
    const drawnTogether = ['p50', 'p95', 'p99', 'max'].map((name) => colour(name, isDark))
    for (const [who, eye] of Object.entries(eyes)) {
      for (const [list, least] of [[colours, 0.05], [drawnTogether, 0.075]] as const) {
        for (const [i, a] of list.entries()) for (const b of list.slice(i + 1)) expect(apart(a, b, eye), `${a} and ${b} for ${who}`).toBeGreaterThan(least)
      }
    }
  })

  test('have the same hue on light and on dark pages', () => {
    const hue = (hex: string): number => {
      const [, a = 0, b = 0] = oklab(rgb(hex))
      return (Math.atan2(b, a) * 180) / Math.PI
    }
    for (const name of [...names, 'p95', 'p99', 'failed']) {
      const off = Math.abs(hue(colour(name, false)) - hue(colour(name, true)))
      expect(Math.min(off, 360 - off), name).toBeLessThan(15)
    }
  })
})

test('text on each colour has enough contrast', () => {
  expect(inkOn('#ffffff')).toBe('#000000')
  expect(inkOn('#f0e442')).toBe('#000000')
  expect(inkOn('#1a2029')).toBe('#ffffff')
})

test('a bar has the number of its kind', () => {
  expect(labelOf({ lane: 0, name: 'query 14', from: 0, seconds: 1 })).toBe('14')
  expect(labelOf({ lane: 0, name: 'new sales refresh', from: 0, seconds: 1 })).toBe('new')
})

describe('CSV', () => {
  test('has a header with units, and quotes values where necessary', () => {
    const table = { columns: [{ name: 'time', unit: 's' }, { name: 'message' }], rows: [[1.5, 'a "b", c'], [null, 'x\ny']] }
    expect(csv(table)).toBe('time (s),message\r\n1.5,"a ""b"", c"\r\n,"x\ny"\r\n')
  })

  test('contains no formula for a spreadsheet, and keeps negative numbers', () => {
    expect(csv({ columns: [{ name: '=a' }], rows: [['=HYPERLINK("x")'], [-1]] })).toBe(`'=a\r\n"'=HYPERLINK(""x"")"\r\n-1\r\n`)
  })
})

describe('drawn', () => {
  afterEach(() => vi.restoreAllMocks())

  function place(): HTMLDivElement {
    const element = document.createElement('div')
    document.body.append(element)
    return element
  }

  test.each([
    ['lines', rates],
    ['streams', streams],
  ])('%s set no style attribute, which the Content-Security-Policy forbids', (_, chartOf) => {
    const attribute = vi.spyOn(Element.prototype, 'setAttribute')
    const attributeNS = vi.spyOn(Element.prototype, 'setAttributeNS')
    const markup = vi.spyOn(Element.prototype, 'innerHTML', 'set')
    const element = place()
    const chart = draw(element, heightOf(chartOf()))
    chart.setOption(optionOf(chartOf(), false))
    chart.dispatchAction({ type: 'showTip', seriesIndex: 0, dataIndex: 1 })
    chart.getZr().flush()
    expect(element.querySelectorAll('svg path').length).toBeGreaterThan(3)
    const names = [...attribute.mock.calls.map(([name]) => name), ...attributeNS.mock.calls.map(([, name]) => name)]
    expect(names).not.toContain('style')
    expect(markup.mock.calls.map(([html]) => html).filter((html) => /style=|<style/i.test(html))).toEqual([])
    chart.dispose()
  })

  test('a saved drawing is self-contained and well-formed', () => {
    const element = place()
    const chart = draw(element, 300)
    chart.setOption(optionOf(streams(), true))
    chart.getZr().flush()
    const svg = element.querySelector('svg')
    if (svg === null) throw new Error('nothing was drawn')
    const file = standalone(svg, '#181d24')
    const read = new DOMParser().parseFromString(file.text, 'image/svg+xml')
    expect(read.querySelector('parsererror')).toBeNull()
    expect(read.documentElement.getAttribute('viewBox')).toBe(`0 0 ${file.width} ${file.height}`)
    expect(read.documentElement.firstElementChild?.getAttribute('fill')).toBe('#181d24')
    expect(file.text).not.toMatch(/(href|src)="http/)
    chart.dispose()
  })
})

test('files have names that every system accepts', () => {
  expect(fileName('Response times of 6B03921C')).toBe('response-times-of-6b03921c')
  expect(fileName('../..')).toBe('chart')
})
