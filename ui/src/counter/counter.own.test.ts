import { flushSync, mount, unmount } from 'svelte'
import { expect, test, vi } from 'vitest'
import type { Counter, CounterLine, CounterNews } from '../api/types.ts'
import CounterPage from '../pages/CounterPage.svelte'
import { Lines, ownShare, rateChart } from './lines.ts'

const line = (sequence: number, event: CounterLine['event'], more: Partial<CounterLine> = {}): CounterLine => ({
  sequence,
  at: new Date(Date.UTC(2026, 10, 23, 5, 0, 10 * sequence)).toISOString(),
  event,
  ...more,
})
const rated = (sequence: number, rate: number, orders?: number): CounterLine =>
  line(sequence, 'reading', {
    rate,
    transactions: rate / 6,
    elapsed_seconds: 10,
    ...(orders === undefined ? {} : { probed: { what: 'new order', count: orders / 6, elapsed_seconds: 10, per_minute: orders } }),
  })
const counter = (more: Partial<Counter> = {}): Counter => ({
  id: 'abc',
  database: 'mariadb',
  workload: 'tprocc',
  title: 'MariaDB tpcc on <b>db1</b>:3306, all databases',
  target: 'tpcc on db1:3306',
  all_databases: true,
  interval_seconds: 10,
  unit: 'TPM',
  rate_is: 'transactions a minute',
  own_rate: 0,
  counts: 'COMMIT and ROLLBACK statements of the whole server.',
  probed_rate: 'new orders a minute',
  remarks: ['A MySQL server answered, although MariaDB was chosen: what follows is about MySQL.'],
  state: 'counting',
  begun: line(1, 'begun').at,
  summary: { elapsed_seconds: 20, measured_seconds: 20, intervals: 2, rate: { min: 600, mean: 900, max: 1200 }, times_away: 0, away_seconds: 0 },
  ...more,
})

test('a repeated line is kept once, and without news nothing is redrawn', () => {
  const lines = new Lines()
  const news: CounterNews = { counter: counter(), lines: [line(1, 'begun'), rated(2, 600)] }
  lines.add(news)
  const { all } = lines
  lines.add(news)
  lines.add({ ...news, lines: [] })
  expect(lines.all).toBe(all)
  lines.add({ ...news, lines: [rated(2, 600), rated(3, 1200)] })
  expect(lines.all.map((each) => each.sequence)).toEqual([1, 2, 3])
  for (let from = 4; from < 4000; from += 100) lines.add({ ...news, lines: Array.from({ length: 100 }, (_, i) => rated(from + i, 1)) })
  expect(lines.all).toHaveLength(3600)
})

test('the chart has a gap while the server is away, and its table names the events', () => {
  expect(rateChart(counter(), [line(1, 'begun')])).toBeUndefined()
  const chart = rateChart(counter(), [line(1, 'begun'), rated(2, 600, 300), line(3, 'away', { error: 'refused' }), line(4, 'back'), rated(5, 1200, 500), line(6, 'ended')])
  expect(chart?.lines.map((each) => each.name)).toEqual(["TPM, server's count", 'new orders a minute'])
  expect(chart?.lines[0]?.points).toEqual([[0, null], [10, 600], [20, null], [30, null], [40, 1200]])
  expect(chart?.table.rows.map((row) => row.at(-1))).toEqual(['first reading', '', 'the server does not answer: refused', 'the server answers again', ''])
  // New orders per minute are not drawn on an axis of queries per hour.
  const hourly = rateChart(counter({ unit: 'QPH', rate_is: 'queries an hour' }), [rated(2, 600, 300)])
  expect(hourly?.lines).toHaveLength(1)
  expect(hourly?.y).toBe('an hour')
})

test('the page shows the rate, the explanation of the count and the server, and stops the counter', async () => {
  const sources: { url: string; onmessage: ((event: MessageEvent<string>) => void) | null; over?: (event: MessageEvent<string>) => void }[] = []
  vi.stubGlobal(
    'EventSource',
    class {
      onmessage = null
      over?: (event: MessageEvent<string>) => void
      constructor(readonly url: string) {
        sources.push(this)
      }
      addEventListener(_: string, listener: (event: MessageEvent<string>) => void): void {
        this.over = listener
      }
      close(): void {}
    },
  )
  const asked: string[] = []
  vi.stubGlobal('fetch', (address: string, options: RequestInit) => {
    asked.push(`${options.method} ${new URL(address).pathname}`)
    return Promise.resolve(new Response(JSON.stringify(counter())))
  })
  const app = mount(CounterPage, { target: document.body, props: { params: { id: 'abc' }, query: new URLSearchParams() } })
  flushSync()
  const words = (): string => (document.body.textContent ?? '').replaceAll(/\s+/g, ' ')
  const tell = (name: 'onmessage' | 'over', news: CounterNews): void => {
    sources.at(-1)?.[name]?.({ data: JSON.stringify(news), lastEventId: String(news.lines.at(-1)?.sequence) } as MessageEvent<string>)
    flushSync()
  }
  expect(sources[0]?.url).toContain('/api/v1/counters/abc/events')
  tell('onmessage', { counter: counter({ last: rated(3, 1234.9) }), lines: [line(1, 'begun'), rated(2, 600), rated(3, 1234.9)] })
  expect(document.querySelector('.now strong')?.textContent).toBe('1,234')
  expect(document.title).toContain('1,234 TPM')
  for (const text of ['900 TPM on average', '600 to 1,200 TPM', 'COMMIT and ROLLBACK statements', 'A MySQL server answered', 'MariaDB tpcc on <b>db1</b>:3306']) expect(words()).toContain(text)
  document.querySelector<HTMLButtonElement>('.stop')?.click()
  await vi.waitFor(() => expect(asked).toEqual(['POST /api/v1/counters/abc/stop']))
  tell('onmessage', { counter: counter({ state: 'away', reason: 'connection refused' }), lines: [line(4, 'away', { error: 'connection refused' })] })
  expect(words()).toContain('The server has not answered since 2026-11-23 05:00:30 UTC: connection refused')
  tell('over', { counter: counter({ state: 'ended', reason: 'it was stopped', ended: line(5, 'ended').at }), lines: [line(5, 'ended')] })
  expect(words()).toContain('it was stopped')
  expect(document.querySelector('.stop')).toBeNull()
  await unmount(app)
  vi.unstubAllGlobals()
})

test('a counter says its own share of the rate of an idle server', () => {
  expect(ownShare({ own_rate: 12, unit: 'TPM' }, 14)).toBe("About 12 TPM of this are the counter's own queries.")
  expect(ownShare({ own_rate: 12, unit: 'TPM' }, 120)).not.toBe('')
  expect(ownShare({ own_rate: 12, unit: 'TPM' }, 121)).toBe('')
  expect(ownShare({ own_rate: 0, unit: 'TPM' }, 0)).toBe('')
  expect(ownShare({ own_rate: 12, unit: 'TPM' }, undefined)).toBe('')
})
