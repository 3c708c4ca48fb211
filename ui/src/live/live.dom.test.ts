import { flushSync, mount, unmount } from 'svelte'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { APIError } from '../api/client.ts'
import { Follower, type Connection, type Source } from '../api/follow.ts'
import type { Live, LivePoint } from '../api/types.ts'
import { bounds, cellBegin, columnAt, heatColumns, shadeLegend, shadeOf, shades } from '../charts/heat.ts'
import { errors, heat, network, placed, throughput, times, usersAtWork } from '../charts/run.ts'
import Users from './Users.svelte'
import { clock } from '../format.ts'
import { View } from './view.ts'
import { windowOf } from './window.ts'

const point = (at: number, more: Partial<LivePoint> = {}): LivePoint => ({ at: '2026-11-22T09:00:00Z', at_seconds: at, seconds: 1, phase: 'measure', offset_seconds: at, client_tpm: 60, users: [0, 1, 0, 0], ...more })
const message = (more: Partial<Live>): Live => ({ users: [0, 1, 0, 0], width_seconds: 1, points_from: 0, spans_from: 0, here: true, ...more })

describe('messages about a job', () => {
  test('replace the entries from a position on, so that a repeated message does no harm', () => {
    const view = new View()
    view.add(message({ points: [point(1), point(2)] }))
    const next = message({ points_from: 1, points: [point(2, { client_tpm: 90 }), point(3)] })
    view.add(next)
    view.add(next)
    expect(view.shown.points.map((each) => each.at_seconds)).toEqual([1, 2, 3])
    // Merged points replace all points.
    view.add(message({ width_seconds: 2, points: [point(2, { seconds: 2 }), point(4, { seconds: 2 })] }))
    expect(view.shown.points.map((each) => each.seconds)).toEqual([2, 2])
  })

  test('without changes keep the same points, so that charts are not redrawn', () => {
    const view = new View()
    view.add(message({ points: [point(1), point(2)] }))
    const { points } = view.shown
    view.add(message({ points_from: 1, points: [point(2)], said: ['something'] }))
    expect(view.shown.points).toBe(points)
    view.add(message({ points_from: 1, points: [point(3, { seconds: 2 })] }))
    expect(view.shown.points).not.toBe(points)
  })
})

describe('charts of a run in progress', () => {
  const points = placed([point(1, { phase: 'ramp-up' }), point(2, { figures: [30, 60], server_tpm: 61, failed: 3, failed_by_class: { deadlock: 3 }, retries: 1, seconds: 2 }), point(3, { figures: [31, 62] })])

  test('have the headline figures by name, and a gap while the server was not asked', () => {
    const chart = throughput({ points, figures: ['client NOPM', 'client TPM'] })
    expect(chart?.lines.map((line) => line.name)).toEqual(['client NOPM', 'client TPM', "server's count"])
    expect(chart?.lines[2]?.points).toEqual([[1, null], [2, 61], [3, null]])
    expect(chart?.phases).toEqual([{ name: 'ramp-up', from: 0, to: 1 }])
    expect(chart?.table.rows).toHaveLength(3)
  })

  test('show errors per second by class, and are missing without errors', () => {
    expect(errors({ points })?.lines.map((line) => [line.name, line.points[1]?.[1]])).toEqual([['deadlock', 1.5], ['tried again', 0.5]])
    const one = { points: placed([point(1)]) }
    expect(errors(one)).toBeUndefined()
    expect(times(one, 'response')).toBeUndefined()
    expect(heat(one)).toBeUndefined()
  })
})

describe('charts of what was used', () => {
  test('have kilobytes a second, and are missing for an embedded database', () => {
    const traffic = { bytes_sent: 5_000, bytes_received: 40_000, round_trips: 100 }
    const chart = network({ points: placed([point(1), point(3, { seconds: 2, traffic })]) })
    expect(chart?.lines.map(({ name, points }) => [name, points])).toEqual([['sent', [[1, 0], [3, 2.5]]], ['received', [[1, 0], [3, 20]]]])
    expect(network({ points: placed([point(1)]) })).toBeUndefined()
  })

  test('have the virtual users at work only if their number changes or some fail', () => {
    expect(usersAtWork({ points: placed([point(1), point(2)]) })).toBeUndefined()
    expect(usersAtWork({ points: placed([point(1, { working: 4 }), point(2, { working: 8 })]) })?.lines.map(({ points }) => points)).toEqual([[[1, 4], [2, 8]]])
    expect(usersAtWork({ points: placed([point(1, { users: [0, 4, 0, 0] }), point(2, { users: [0, 3, 0, 1] })]) })?.lines.map(({ name, points }) => [name, points])).toEqual([['at work', [[1, 4], [2, 3]]], ['failed', [[1, 0], [2, 1]]]])
  })
})

describe('the heat map', () => {
  test('has the cells of the server', () => {
    expect(cellBegin(0)).toBe(0.001024)
    expect(cellBegin(5)).toBeCloseTo(0.00256, 9)
    expect(cellBegin(4 * 10)).toBeCloseTo(1.048576, 9)
  })

  test('merges neighbouring points if there are too many, and loses no transactions', () => {
    const many = Array.from({ length: 480 }, (_, i) => point(i + 1, { cells: [40, 1, 0, 2] }))
    const columns = heatColumns(placed(many))
    expect(columns.length).toBe(160)
    expect(columns.reduce((sum, column) => sum + column.done, 0)).toBe(480 * 3)
    expect(columns[0]).toMatchObject({ from: 0, to: 3, done: 9 })
    expect(columns[0]?.cells.map((cell) => cell.count)).toEqual([3, 6])
    expect(columns.at(-1)?.to).toBe(480)
  })

  test('shows rare response times beside frequent ones', () => {
    const columns = heatColumns(placed([point(1, { cells: [40, 10_000, 1] })]))
    const among = bounds(columns)
    expect(among).toHaveLength(shades)
    expect(shadeOf(1, among)).toBe(0)
    expect(shadeOf(10_000, among)).toBe(shades - 1)
    const chart = heat({ points: placed([point(1, { cells: [40, 10_000, 1] })]) })
    if (chart === undefined) throw new Error('there is no chart')
    expect(shadeLegend(chart, true).map(({ shade }) => shade)).toHaveLength(shades)
    expect(columnAt(chart, 0.5)).toContain('10,001 transactions')
  })
})

describe('a grid of 10,000 virtual users', () => {
  const box = { width: 264, height: 148 }
  test('requests the users on the screen at any position', () => {
    for (const scrolled of [0, 1000, 200_000, 100_000_000]) {
      const seen = windowOf(10_001, 1000, 450, scrolled, box)
      expect(seen.columns).toBe(3)
      expect(seen.limit).toBeLessThanOrEqual(3 * 7)
      expect(seen.from % 3).toBe(0)
      expect(seen.from).toBeLessThan(10_001)
      expect(seen.height).toBe(3334 * 148)
    }
    const seen = windowOf(10_001, 1000, 450, 148 * 1000, box)
    expect([seen.from, seen.top]).toEqual([999 * 3, 999 * 148])
    expect(windowOf(10_001, 200, 450, 0, box).columns).toBe(1)
    expect(windowOf(0, 1000, 450, 0, box)).toMatchObject({ from: 0, limit: 0, height: 0 })
  })
})

test('the grid requests the visible users once a second, and draws no others', async () => {
  vi.useFakeTimers()
  vi.stubGlobal('IntersectionObserver', class {
    constructor(private readonly told: (entries: { isIntersecting: boolean }[]) => void) {}
    observe(): void { this.told([{ isIntersecting: true }]) }
    disconnect(): void {}
  })
  const asked: URLSearchParams[] = []
  vi.stubGlobal('fetch', (address: string) => {
    const query = new URL(address).searchParams
    asked.push(query)
    const from = Number(query.get('from'))
    const users = Array.from({ length: Number(query.get('limit')) }, (_, i) => ({ user: from + i + 1, state: 'running', lines: [`line of ${from + i + 1}`] }))
    return Promise.resolve(new Response(JSON.stringify({ total: 10_001, matching: 10_001, counts: [0, 10_000, 0, 0], users })))
  })
  const app = mount(Users, { target: document.body, props: { id: '7', counts: [0, 10_000, 0, 0], goesOn: true } })
  flushSync()
  await vi.advanceTimersByTimeAsync(5000)
  flushSync()
  expect(asked.length).toBeGreaterThan(2)
  expect(asked.length).toBeLessThan(9)
  const boxes = document.querySelectorAll('.region ul > li')
  expect(boxes.length).toBeGreaterThan(0)
  expect(boxes.length).toBeLessThan(40)
  expect(document.body.textContent).toContain('10,000 virtual users and the monitor')
  expect(document.body.textContent).toContain('line of 1')
  await unmount(app)
  vi.unstubAllGlobals()
  vi.useRealTimers()
})

class Fake implements Source {
  static all: Fake[] = []
  onopen: (() => void) | null = null
  onerror: (() => void) | null = null
  onmessage: ((event: MessageEvent<string>) => void) | null = null
  over: ((event: MessageEvent<string>) => void) | undefined
  closed = false
  constructor(readonly url: string) {
    Fake.all.push(this)
  }
  addEventListener(_: string, listener: (event: MessageEvent<string>) => void): void {
    this.over = listener
  }
  close(): void {
    this.closed = true
  }
  say(lastEventId: string, data = '{}'): void {
    this.onmessage?.({ lastEventId, data } as MessageEvent<string>)
  }
}

describe('a stream', () => {
  let states: Connection[]
  let ask: () => Promise<unknown>
  let follower: Follower
  const last = (): Fake => Fake.all.at(-1) ?? (() => { throw new Error('nothing was opened') })()

  beforeEach(() => {
    vi.useFakeTimers()
    Fake.all = []
    states = []
    ask = () => Promise.resolve()
    follower = new Follower((after) => `live?after=${after}`, { message: () => undefined, over: () => undefined, connection: (now) => states.push(now) }, () => ask(), { open: (url) => new Fake(url) })
  })
  afterEach(() => {
    follower.close()
    vi.useRealTimers()
  })

  test('continues where it was after a growing delay, and reports since when it was lost', async () => {
    last().say('e-1.5.0')
    const lost = Date.now()
    last().onerror?.()
    expect(states.at(-1)).toMatchObject({ state: 'lost', since: lost })
    await vi.advanceTimersByTimeAsync(1000)
    expect(Fake.all.map((each) => each.url)).toEqual(['live?after=', 'live?after=e-1.5.0'])
    last().onerror?.()
    await vi.advanceTimersByTimeAsync(1900)
    expect(Fake.all).toHaveLength(2)
    await vi.advanceTimersByTimeAsync(100)
    expect(Fake.all).toHaveLength(3)
    expect(states.at(-1)).toMatchObject({ state: 'lost', since: lost })
    last().say('e-1.6.0')
    expect(states.at(-1)).toEqual({ state: 'open' })
    expect(Fake.all.filter((each) => !each.closed)).toHaveLength(1)
  })

  test('reports since when it is silent, until a message comes', async () => {
    await vi.advanceTimersByTimeAsync(8000)
    expect(states).toEqual([{ state: 'connecting' }]) // there are no figures that could be old
    last().say('1')
    const heard = Date.now()
    await vi.advanceTimersByTimeAsync(4900)
    expect(states.at(-1)).toEqual({ state: 'open' })
    await vi.advanceTimersByTimeAsync(4000)
    expect(states.filter((each) => each.state === 'quiet')).toEqual([{ state: 'quiet', since: heard }])
    last().say('2')
    expect(states.at(-1)).toEqual({ state: 'open' })
    expect(Fake.all).toHaveLength(1)
  })

  test('counts as lost if it is open but silent, as after a sleep', async () => {
    last().say('1')
    await vi.advanceTimersByTimeAsync(25_000)
    expect(states.some((each) => each.state === 'lost')).toBe(true)
    expect(Fake.all.length).toBeGreaterThan(1)
  })

  test('does not connect again if the server refuses', async () => {
    ask = () => Promise.reject(new APIError('no job 7', 404))
    last().onerror?.()
    await vi.advanceTimersByTimeAsync(60_000)
    expect(Fake.all).toHaveLength(1)
    expect(states.at(-1)).toMatchObject({ state: 'refused' })
    follower.again()
    expect(Fake.all).toHaveLength(2)
  })

  test('connects again without a response, or after one of a proxy', async () => {
    for (const status of [0, 502]) {
      ask = () => Promise.reject(new APIError('away', status))
      const before = Fake.all.length
      last().onerror?.()
      await vi.advanceTimersByTimeAsync(20_000)
      expect(Fake.all.length).toBeGreaterThan(before)
    }
  })

  test('stays closed when it is over', async () => {
    last().over?.({ data: '{}', lastEventId: '9' } as MessageEvent<string>)
    expect(states.at(-1)).toEqual({ state: 'over' })
    await vi.advanceTimersByTimeAsync(60_000)
    expect(Fake.all).toHaveLength(1)
  })
})

test('times have the format of a clock', () => {
  expect([0, 5, 65, 3605, -3].map(clock)).toEqual(['0:00', '0:05', '1:05', '1:00:05', '0:00'])
})
