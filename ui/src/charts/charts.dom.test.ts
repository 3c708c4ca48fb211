import { afterEach, describe, expect, test, vi } from 'vitest'
import type { Job, Latency, Points, Series, Transaction } from '../api/types.ts'
import queries from '../testdata/queries.json'
import series from '../testdata/series.json'
import { against, behind } from '../pages/job/baseline.ts'
import { drawn } from '../testing.ts'
import { label, xAxis } from './axis.ts'
import { boxAt, boxChart, decadesAround } from './boxes.ts'
import { histogramChart, kindsOf, sharesOf } from './histogram.ts'
import { csv, flattened, type Chart, type GanttChart, type LineChart } from './chart.ts'
import { fileName } from './download.ts'
import { barAt, inkOn, labelOf } from './gantt.ts'
import { colour, surface } from './palette.ts'
import { aligned, decades, heightOf, piled, Plot, shapeOf, wholeOf, type Look } from './plot.ts'
import { beginOf, beside, throughput, timed, times, type Run, type RunPoint } from './run.ts'
import { kindTimes, streamChart } from './spans.ts'
import { inTurn, leaveOut } from './turns.ts'
import { between, moved, scaled } from './viewport.svelte.ts'

function there<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('there is no chart')
  return value
}

const runOf = (of: Series): Run => ({ points: timed(of, beginOf(of)) })
const rates = (): LineChart => there(throughput(runOf(series as Series)))
const responses = (): LineChart => there(times(runOf(series as Series), 'response'))
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
    const chart = responses()
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
    const all: Series = { schema: 'sledge-tpm-1', id: '1', points }
    const series = [{ name: 'sessions', points: [{ at: at(1), value: 7 }] }, tide('north', 0), tide('south', 1)]
    const still = { name: 'faults', points: [{ at: at(1), value: 0 }] }
    const { charts, zero } = beside([...series, still], beginOf(all), runOf(all))
    expect(zero).toEqual(['faults'])
    expect(charts.map((chart) => [chart.title, chart.y, chart.lines.map((line) => line.name)])).toEqual([
      ['Sessions', 'sessions', ['sessions']],
      ['Tide', 'tide (m)', ['north', 'south']],
    ])
    expect(charts[1]?.lines[0]?.points).toEqual([0, 1, 2, 3].map((second) => [second, Math.sin(second)]))
    expect(charts[1]?.table.rows).toHaveLength(8)
    const modes = ['user', 'system'].map((mode, i) => ({ name: 'CPU', unit: '%', labels: { machine: 'client', mode }, points: [{ at: at(1), value: 10 + i }] }))
    const [cpu] = beside([...series, ...modes], beginOf(all), runOf(all)).charts
    expect([cpu?.title, cpu?.stacked, cpu?.lines.map(({ name }) => name)]).toEqual(['CPU', true, ['user', 'system']])
    const machines = ['db1', 'client'].flatMap((machine) => modes.map((mode) => ({ ...mode, labels: { ...mode.labels, machine } })))
    const two = beside(machines, beginOf(all), runOf(all)).charts
    expect(two.map(({ title, lines }) => [title, lines.map(({ name }) => name)])).toEqual([['CPU', ['user', 'system']], ['CPU of db1', ['user', 'system']]])
    const missed = { name: 'load', points: [0, 1, 2, 3, 4, 9, 10, 11, 12, 13, 14].map((second) => ({ at: at(second), value: 1 })) }
    const [load] = beside([missed], beginOf(all), runOf(all)).charts
    expect(load?.lines[0]?.points.filter(([, value]) => value === null)).toEqual([[6.5, null]])
  })

  test('lie on each other if they are parts of a whole', () => {
    const data: [number[], ...(number | null | undefined)[][]] = [[1, 2, 3], [1, 2, null], [10, undefined, 30], [100, 200, 300]]
    expect(piled(data, [true, false, true])).toEqual([[1, 2, 3], [1, 2, null], [10, undefined, 30], [101, 202, 300]])
    expect(piled(data, [true, true, true])).toEqual([[1, 2, 3], [1, 2, null], [11, undefined, 30], [111, 202, 330]])
  })

  test('are missing without counts', () => {
    expect(throughput({ points: [] })).toBeUndefined()
    expect(times({ points: [] }, 'response')).toBeUndefined()
  })

  test('have gaps while the server was not asked', () => {
    const point = { phase: 'measure', client_tpm: 60 }
    const chart = there(
      throughput({
        points: [
          { ...point, at: '2026-11-22T09:00:01Z', offset_seconds: 1, time: 1, server_tpm: 61 },
          { ...point, at: '2026-11-22T09:00:02Z', offset_seconds: 2, time: 2 },
        ],
      }),
    )
    expect(chart.lines[1]?.points).toEqual([
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

  test('has a bar for a transaction in flight, as long as it has run', () => {
    const span = { user: 1, kind: 'query 6', stream: 0, from_seconds: 4, seconds: 0, rows: 0 }
    const chart = there(streamChart({ ...(queries as Job), spans: [] }, { spans: [span], at: 10 }))
    expect(chart.bars).toEqual([{ lane: 0, name: 'query 6', from: 4, seconds: 6, running: true }])
    expect(barAt(chart, 5, 0)).toContain('running for 6.00 s')
    expect(chart.table.rows).toEqual([])
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

describe('a plot', () => {
  const line = (name: string, points: [number, number | null][]): LineChart['lines'][number] => ({ name, is: name, points })
  const chart = (...lines: LineChart['lines']): LineChart => ({ ...rates(), phases: [], lines })

  test('has the values of all lines on one axis', () => {
    expect(aligned(chart(line('a', [[1, 10], [2, null]]), line('b', [[1, 0], [2, 4]])))).toEqual([[1, 2], [10, null], [0, 4]])
    // A logarithmic axis has no zero.
    expect(aligned(chart(line('a', [[1, 0], [2, 4]])), true)).toEqual([[1, 2], [null, 4]])
    const [x, a, b] = aligned(chart(line('a', [[1, 10], [3, 30]]), line('b', [[2, 20]])))
    expect([x, a, b]).toEqual([[1, 2, 3], [10, undefined, 30], [undefined, 20, undefined]])
  })

  test('begins where its chart does, and ends with the last value', () => {
    expect(wholeOf(rates())).toEqual({ from: 0, until: rates().lines[0]?.points.at(-1)?.[0] })
    expect(wholeOf({ ...rates(), from: 5, lines: [line('a', [[5, 1]])] })).toEqual({ from: 5, until: 6 })
  })

  test('is replaced for other lines, but not for more data', () => {
    const before = shapeOf(chart(line('a', [[1, 1]])))
    expect(shapeOf(chart(line('a', [[1, 1], [2, 2]])))).toBe(before)
    expect(shapeOf(chart(line('a', [[1, 1]]), line('b', [[1, 1]])))).not.toBe(before)
  })

  test('has a logarithmic axis if the longest times would flatten the rest', () => {
    const steady: [number, number][] = [[1, 2], [2, 3], [3, 2]]
    expect(flattened([line('p50', steady)])).toBe(false)
    expect(flattened([line('p50', steady), line('max', [[1, 500]])])).toBe(true)
    expect(decades(0.1, 1000)).toEqual([0.1, 1, 10, 100, 1000])
    expect(decades(1, 1e12)).toEqual([1, 100, 1e4, 1e6, 1e8, 1e10, 1e12])
  })
})

describe('the part of an axis that is shown', () => {
  const whole = { from: 0, until: 90 }

  test('keeps the place around which it is scaled, and stays within the whole', () => {
    const half = there(scaled(whole, whole, 1 / 2, 30, 5))
    expect(half).toEqual({ from: 15, until: 60 })
    expect((30 - half.from) / (half.until - half.from)).toBeCloseTo(30 / 90, 9)
    expect(scaled({ from: 0, until: 10 }, whole, 1 / 10, 5, 5)).toEqual({ from: 2.5, until: 7.5 })
    expect(scaled(half, whole, 3, 30, 5)).toBeUndefined()
  })

  test('is moved and selected within the whole', () => {
    expect(moved({ from: 60, until: 80 }, whole, 0.5)).toEqual({ from: 70, until: 90 })
    expect(moved({ from: 5, until: 25 }, whole, -0.5)).toEqual({ from: 0, until: 20 })
    expect(between(50, 20, whole, 5)).toEqual({ from: 20, until: 50 })
    expect(between(88, 89, whole, 5)).toEqual({ from: 85, until: 90 })
    expect(between(-5, 200, whole, 5)).toBeUndefined()
  })
})

test('the labels of an axis have no more digits than its resolution', () => {
  expect([label(17.02, 17.02), label(15, 17.02), label(43_205, 30), label(2.5, 4.51), label(4.5123, 4.51)]).toEqual(['17', '15', '43,205', '2.5', '4.5'])
  expect([label(0.04, 0.18), label(0, 0)]).toEqual(['0.04', '0'])
})

test('a long time axis has the format and the steps of a clock', () => {
  const name = 'time since the run began (s)'
  const day = xAxis(name, 0, 86_400.4, false)
  expect([day.name, day.text(86_400.4)]).toEqual(['time since the run began (h:min:s)', '24:00:00'])
  expect(day.steps).toContain(10_800)
  expect(xAxis(name, 0, 1200, false).name).toBe('time since the run began (min:s)')
  expect(xAxis(name, 0, 600, false)).toMatchObject({ name })
  expect(xAxis(name, 43_200, 43_230, false).text(43_205)).toBe('43,205')
  expect(xAxis('virtual users', 1, 8, true).steps?.every(Number.isInteger)).toBe(true)
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

  const look: Look = { isDark: false, part: undefined, log: false, hidden: new Set() }

  test.each<[string, () => Chart]>([
    ['lines', rates],
    ['streams', streams],
    ['boxes', () => there(boxChart((queries as Job).transactions ?? []))],
  ])('%s set no style attribute, which the Content-Security-Policy forbids', async (_, chartOf) => {
    const attribute = vi.spyOn(Element.prototype, 'setAttribute')
    const markup = vi.spyOn(Element.prototype, 'innerHTML', 'set')
    const element = document.createElement('div')
    document.body.append(element)
    drawn.length = 0
    const plot = new Plot(element, chartOf(), look, undefined, { width: 800, height: heightOf(chartOf()), size: 1 })
    await Promise.resolve()
    expect(drawn).toContain('fillText')
    expect(attribute.mock.calls.map(([name]) => name)).not.toContain('style')
    expect(markup.mock.calls.map(([html]) => html).filter((html) => /style=|<style/i.test(html))).toEqual([])
    plot.destroy()
  })

  test('a plot gives the places of marks, and draws those in the shown part', async () => {
    const element = document.createElement('div')
    document.body.append(element)
    const chart = { ...rates(), lines: [{ name: 'a', is: 'client', points: [[10, 10], [20, 20]] as [number, number][] }] }
    const places: (number | undefined)[] = []
    const listener = { cursor: () => undefined, select: () => undefined, reset: () => undefined, drawn: (place: (x: number) => number | undefined) => places.splice(0, 9, place(5), place(10), place(15), place(20)) }
    const mark = { sign: 'A', text: 'x', until: 15, from: 12 }
    const plot = new Plot(element, chart, { ...look, part: { from: 10, until: 20 }, signs: true, marks: [{ ...mark, key: '1' }, { ...mark, key: '2', from: 30, until: 30 }] }, listener, { width: 800, height: 260, size: 1 })
    await Promise.resolve()
    const [, left = 0, middle = 0, right = 0] = places
    expect(places[0]).toBeUndefined()
    expect(left).toBeGreaterThan(50)
    expect(middle).toBeCloseTo((left + right) / 2, 0)
    expect(right).toBeLessThan(800)
    plot.destroy()
  })

  test('a plot reads the values at its crosshair, and a name is never interpreted as markup', () => {
    const element = document.createElement('div')
    const chart = { ...rates(), lines: [{ name: '<img src=x>', is: 'client', points: [[1, 10], [2, 20]] as [number, number][] }] }
    const plot = new Plot(element, chart, look, undefined, { width: 800, height: 260, size: 1 })
    expect(plot.point(1.9, false).values).toEqual(new Map([['<img src=x>', 20]]))
    expect(plot.point(undefined, false).values.size).toBe(0)
    expect(element.querySelector('img')).toBeNull()
    plot.destroy()
  })
})

describe('the spread of response times', () => {
  const response = { min_ms: 0.2, p25_ms: 0.5, p50_ms: 1, p75_ms: 2, p99_ms: 9, max_ms: 120 } as Latency
  const transactions = [{ kind: 'payment', done: 7, response }, { kind: 'delivery', done: 0 }] as Transaction[]

  test('has a box for each kind that was done, on decades around all times', () => {
    const chart = there(boxChart(transactions))
    expect(chart.lanes).toEqual(['payment'])
    expect(decadesAround(chart.boxes.flatMap(({ min, max }) => [min, max]))).toEqual({ from: 0.1, until: 1000 })
    expect(boxAt(chart, 0)).toBe('payment, 7 done: min 0.200, p25 0.500, p50 1.00, p75 2.00, p99 9.00, max 120 ms')
    expect(boxAt(chart, 1)).toBe('')
    expect(boxChart(transactions.slice(1))).toBeUndefined()
  })
})

describe('a baseline', () => {
  const point = (time: number, phase: RunPoint['phase'], client_tpm: number): RunPoint & { at_seconds: number } => ({ at: '2026-11-22T09:00:00Z', phase, offset_seconds: 1, time, at_seconds: time, client_tpm })
  const job = { id: '6B0983CFBC2C18C000FB9DE8', labels: { kernel: '6.11' }, metrics: [{ name: 'NOPM', value: 100 }] } as unknown as Job

  test('is drawn so that the measured times begin at the same place', () => {
    const now = [point(1, 'ramp-up', 1), point(2, 'ramp-up', 2), point(3, 'measure', 3), point(4, 'measure', 4)]
    const points = { points: [point(1, 'ramp-up', 10), point(2, 'measure', 20), point(3, 'measure', 30), point(4, 'measure', 40)] } as unknown as Points
    const drawn = behind(there(throughput({ points: now })), now, { job, points }, { "virtual users' count": (each) => each.client_tpm })
    expect(drawn.lines[1]).toEqual({ name: "virtual users' count, kernel 6.11", is: 'client', thin: true, points: [[2, 10], [3, 20], [4, 30]] })
  })

  test('gives the difference of the same figure only', () => {
    expect(against({ name: 'NOPM', value: 104.1 }, { job })).toBe('+4.1 % against kernel 6.11 (one run each)')
    expect(against({ name: 'QphH', value: 104.1 }, { job })).toBe('')
  })
})

test('a bar is described in a sentence', () => {
  const chart = streams()
  const bar = there(chart.bars[0])
  expect(barAt(chart, bar.from + bar.seconds / 2, bar.lane)).toContain(bar.name)
  expect(barAt(chart, 1e9, 0)).toBe('')
})

test('files have names that every system accepts', () => {
  expect(fileName('Response times of 6B03921C')).toBe('response-times-of-6b03921c')
  expect(fileName('../..')).toBe('chart')
})

test('histograms of runs are read and drawn as shares of their transactions', async () => {
  // Recorded by the program: 700 ns once, 1 ms three times, 5 ms once, 250.123 ms 2,000 times.
  const response_histogram = 'HISTFAAAADV42pJpmSzMwMDAxwABzFCakYGB2c1gxwIG+w8Qge9cTMcXM7IdVmG6G7VAHhAAAP//tj0JrA=='
  const kinds = await kindsOf({ id: '1', histograms: [{ kind: 'payment', response_histogram }, { kind: 'delivery' }] })
  const bars = kinds.get('payment') ?? []
  expect(bars.map(({ count }) => count)).toEqual([1, 3, 1, 2000])
  for (const [i, value] of [700, 1e6, 5e6, 250_123_000].entries()) expect(Math.abs((bars[i]?.value ?? 0) / value - 1)).toBeLessThan(0.001)
  const shares = sharesOf(bars)
  expect(shares.reduce((sum, [, share]) => sum + share, 0)).toBeCloseTo(100, 9)
  expect(shares.find(([, share]) => share > 50)?.[0]).toBeCloseTo(250, -2)
  expect([shares[0]?.[1], shares.at(-1)?.[1]]).toEqual([0, 0])
  const chart = histogramChart([kinds, new Map()], ['6.11', '6.12'], '')
  expect(chart?.lines.map(({ name, points }) => [name, points.length > 0])).toEqual([['6.11', true], ['6.12', false]])
  expect(wholeOf(there(chart))).toEqual({ from: expect.closeTo(0.0001, 9) as number, until: 1000 })
  expect(histogramChart([kinds], ['6.11'], 'delivery')).toBeUndefined()
  await expect(kindsOf({ id: '1', histograms: [{ kind: 'payment', response_histogram: btoa('not a histogram') }] })).rejects.toThrow('not a compressed histogram')
})

test('charts take turns: a frame draws one, in the order in which they asked', () => {
  const frames: (() => void)[] = []
  vi.stubGlobal('requestAnimationFrame', (frame: () => void) => frames.push(frame))
  const order: string[] = []
  const [first, second, third] = ['first', 'second', 'third'].map((name) => () => void order.push(name)) as [() => void, () => void, () => void]
  // The second asks twice and is drawn once; the third is removed before its turn.
  for (const draw of [first, second, third, second]) inTurn(draw)
  leaveOut(third)
  const after = (): string => {
    expect(frames).toHaveLength(1)
    frames.shift()?.()
    return order.splice(0).join(' ')
  }
  // The first frame is for the rest of the page.
  expect([after(), after()]).toEqual(['', 'first'])
  // A chart that asks again waits behind the others.
  inTurn(first)
  expect([after(), after(), after()]).toEqual(['second', 'first', ''])
  expect(frames).toEqual([])
  vi.unstubAllGlobals()
})
