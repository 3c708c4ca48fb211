import { afterEach, describe, expect, test, vi } from 'vitest'
import type { Job, Series } from '../api/types.ts'
import queries from '../testdata/queries.json'
import series from '../testdata/series.json'
import { kindTimes, rateChart, responseChart, streamChart } from './build.ts'
import { csv, type GanttChart, type LineChart } from './chart.ts'
import { fileName, standalone } from './download.ts'
import { draw } from './echarts.ts'
import { heightOf, inkOn, label, labelOf, optionOf } from './option.ts'
import { colour } from './palette.ts'

function there<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('there is no chart')
  return value
}

const rates = (): LineChart => there(rateChart(series as Series))
const streams = (): GanttChart => there(streamChart(queries as Job))

describe('charts of a series', () => {
  test('have each count of transactions in a line, and its table', () => {
    const chart = rates()
    const points = (series as Series).points
    expect(chart.lines.map((line) => line.name)).toContain("virtual users' count")
    for (const line of chart.lines) expect(line.points).toHaveLength(points.length)
    expect(chart.table.rows).toHaveLength(points.length)
    expect(chart.table.rows.every((row) => row.length === chart.table.columns.length)).toBe(true)
    expect(chart.table.rows[0]?.at(-1)).toBe(points[0]?.client_tpm)
  })

  test('go on in time from the ramp-up to what is measured, and say which is which', () => {
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

  test('have percentiles that do not cross', () => {
    const chart = there(responseChart(series as Series))
    expect(chart.lines.map((line) => line.name)).toEqual(['p50', 'p95', 'p99', 'max'])
    for (const [, , ...figures] of chart.table.rows) {
      const numbers = figures.filter((n) => n !== null).map(Number)
      expect(numbers).toEqual([...numbers].sort((a, b) => a - b))
    }
  })

  test('are not there where nothing was counted', () => {
    expect(rateChart({ schema: 'sledge-tpm-1', id: '1', points: [] })).toBeUndefined()
    expect(responseChart({ schema: 'sledge-tpm-1', id: '1', points: [] })).toBeUndefined()
  })

  test('have gaps where the server was not asked', () => {
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

describe('the drawing of streams', () => {
  test('has a lane for each stream and a bar for each transaction', () => {
    const chart = streams()
    const spans = there((queries as Job).spans)
    expect(chart.bars).toHaveLength(spans.length)
    expect(chart.lanes).toHaveLength(new Set(spans.map((span) => span.user)).size)
    expect(chart.lanes.every((lane) => /^(stream \d+|refreshes)$/.test(lane))).toBe(true)
    expect(chart.bars.every((bar) => bar.lane >= 0 && bar.lane < chart.lanes.length)).toBe(true)
  })

  test('says what was not done', () => {
    const span = { user: 1, kind: 'query 6', stream: 0, from_seconds: 1, seconds: 2, rows: 0 }
    const job = { ...(queries as Job), spans: [{ ...span, outcome: 'done' }, { ...span, outcome: 'failed' }, span] }
    expect(there(streamChart(job)).bars.map((bar) => bar.broken)).toEqual([undefined, 'failed'])
    expect(kindTimes(job.spans)).toMatchObject([{ kind: 'query 6', done: 1, notDone: 1, mean: 2 }])
  })

  test('is not there for jobs without such transactions', () => {
    expect(streamChart({ ...(queries as Job), spans: [] })).toBeUndefined()
  })
})

test('kinds stand in the order of their numbers', () => {
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

  test('gives the same thing the same colour in each chart, light and dark', () => {
    for (const isDark of [false, true]) {
      const of = (chart: LineChart, name: string) => (optionOf(chart, isDark).series as { name: string; color: string }[]).find((s) => s.name === name)?.color
      expect(of(there(responseChart(series as Series)), 'p99')).toBe(colour('p99', isDark))
      expect(of(rates(), "virtual users' count")).toBe(colour('client', isDark))
    }
    expect(colour('p99', true)).not.toBe(colour('p99', false))
    expect(new Set(['p50', 'p95', 'p99', 'max'].map((name) => colour(name, false))).size).toBe(4)
  })

  test('draws tooltips without HTML, so that no name is taken for markup', () => {
    for (const chart of [rates(), streams()]) {
      expect(optionOf(chart, false).tooltip).toMatchObject({ renderMode: 'richText' })
    }
  })
})

test('the labels of an axis are no longer than what can be told apart on it', () => {
  expect([label(17.02, 17.02), label(15, 17.02), label(43_205, 30), label(2.5, 4.51), label(4.5123, 4.51)]).toEqual(['17', '15', '43,205', '2.5', '4.5'])
  expect([label(0.04, 0.18), label(0, 0)]).toEqual(['0.04', '0'])
})

test('a long time is shown as by a clock, in steps that a clock has', () => {
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

test('what stands on a colour can be read', () => {
  expect(inkOn('#ffffff')).toBe('#000000')
  expect(inkOn('#f0e442')).toBe('#000000')
  expect(inkOn('#1a2029')).toBe('#ffffff')
})

test('a bar has the number of its kind', () => {
  expect(labelOf({ lane: 0, name: 'query 14', from: 0, seconds: 1 })).toBe('14')
  expect(labelOf({ lane: 0, name: 'new sales refresh', from: 0, seconds: 1 })).toBe('new')
})

describe('CSV', () => {
  test('has a header with units, and quotes what needs it', () => {
    const table = { columns: [{ name: 'time', unit: 's' }, { name: 'message' }], rows: [[1.5, 'a "b", c'], [null, 'x\ny']] }
    expect(csv(table)).toBe('time (s),message\r\n1.5,"a ""b"", c"\r\n,"x\ny"\r\n')
  })

  test('gives a spreadsheet no formula, and leaves numbers below zero alone', () => {
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

  test('a file stands alone and is well-formed', () => {
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

test('files have names that any system takes', () => {
  expect(fileName('Response times of 6B03921C')).toBe('response-times-of-6b03921c')
  expect(fileName('../..')).toBe('chart')
})
