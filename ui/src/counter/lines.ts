// The readings of a transaction counter for its page.

import type { Counter, CounterLine, CounterNews } from '../api/types.ts'
import { count, moment, zone } from '../format.ts'
import type { Cell, Line, LineChart } from '../charts/chart.ts'

/** The number of lines that are kept, the same as on the server. */
const most = 3600

/** The lines of a counter. A repeated message does no harm. */
export class Lines {
  #lines: readonly CounterLine[] = []

  /** The lines, oldest first. Without news it is the same array, so that charts are not redrawn. */
  get all(): readonly CounterLine[] {
    return this.#lines
  }

  add(news: CounterNews): void {
    const last = this.#lines.at(-1)?.sequence ?? 0
    const fresh = news.lines.filter((line) => line.sequence > last)
    if (fresh.length > 0) this.#lines = [...this.#lines, ...fresh].slice(-most)
  }
}

/** The states of counters as a sign, a word and a tone. */
export const states: Record<Counter['state'], { sign: string; word: string; tone: string }> = {
  counting: { sign: '▶', word: 'counting', tone: 'going' },
  away: { sign: '✗', word: 'server away', tone: 'bad' },
  ended: { sign: '■', word: 'ended', tone: '' },
}

/** The events without a rate. */
const words: Record<CounterLine['event'], string> = {
  begun: 'first reading',
  reading: 'no rate: the count was reset',
  away: 'the server does not answer',
  back: 'the server answers again',
  ended: 'ended',
}

/** The rates over time, with gaps; undefined while there is no rate. */
export function rateChart(counter: Counter, lines: readonly CounterLine[]): LineChart | undefined {
  const shown = lines.filter((line) => line.event !== 'ended')
  if (!shown.some((line) => line.rate !== undefined)) return undefined
  const begun = Date.parse(counter.begun)
  const time = (line: CounterLine): number => Math.round((Date.parse(line.at) - begun) / 100) / 10
  const from = time(shown[0] ?? { at: counter.begun } as CounterLine)
  const probed = shown.some((line) => line.probed !== undefined)
  const drawn: Line[] = [{ name: `${counter.unit}, server's count`, is: 'server', points: shown.map((line) => [time(line), line.rate ?? null]) }]
  // Rates per minute and per hour cannot share an axis.
  const perMinute = counter.rate_is.endsWith('a minute')
  if (probed && perMinute) drawn.push({ name: counter.probed_rate, is: counter.probed_rate, points: shown.map((line) => [time(line), line.probed?.per_minute ?? null]) })
  return {
    kind: 'lines',
    title: counter.rate_is.charAt(0).toUpperCase() + counter.rate_is.slice(1),
    x: 'time since the first reading (s)',
    y: perMinute ? 'a minute' : 'an hour',
    unit: perMinute ? 'a minute' : 'an hour',
    marked: shown.length <= 60,
    from: from > 0 ? from : 0,
    lines: drawn,
    phases: [],
    table: {
      columns: [
        { name: 'time', unit: 's' },
        { name: `at (${zone()})` },
        { name: counter.unit },
        { name: 'counted' },
        { name: 'in', unit: 's' },
        ...(probed ? [{ name: counter.probed_rate }] : []),
        { name: 'remark' },
      ],
      rows: shown.map((line): Cell[] => [
        time(line),
        moment(line.at),
        line.rate ?? null,
        line.transactions ?? null,
        line.elapsed_seconds ?? null,
        ...(probed ? [line.probed?.per_minute ?? null] : []),
        line.rate === undefined ? `${words[line.event]}${line.error ? `: ${line.error}` : ''}` : '',
      ]),
    },
  }
}

/** What the counter's own queries contribute, if that is a tenth of the rate or more, as on an idle server; else "". */
export function ownShare({ own_rate: own, unit }: Pick<Counter, 'own_rate' | 'unit'>, rate: number | undefined): string {
  if (rate === undefined || own === 0 || own < rate / 10) return ''
  return `About ${count(own)} ${unit} of this are the counter's own queries.`
}
