// The distributions of several runs' response times, from histograms in HdrHistogram's compressed V2 encoding.

import type { Distributions } from '../api/types.ts'
import type { Cell, Line, LineChart } from './chart.ts'

/** A bar of a histogram: the number of values, and one in the middle of the bar, in nanoseconds. */
export interface Bar {
  value: number
  count: number
}

/** The cookies at the begin of a histogram, of which the lowest half byte is an option, and of a compressed one. */
const plain = 0x1c849303
const compressed = 0x1c849304
const cookieOf = (view: DataView, at: number): number => (view.getUint32(at) & ~0xf0) >>> 0
/** The lengths of the header of a compressed histogram, and of a histogram, in bytes. */
const outer = 8
const header = 40

/** The bars of a histogram in base64 that are not empty, in order. */
export async function barsOf(base64: string): Promise<Bar[]> {
  const packed = Uint8Array.from(atob(base64), (letter) => letter.codePointAt(0) ?? 0)
  if (packed.length < outer || cookieOf(new DataView(packed.buffer), 0) !== compressed) throw new Error('this is not a compressed histogram')
  const body = new Response(packed.slice(outer)).body
  if (body === null) return []
  const bytes = new Uint8Array(await new Response(body.pipeThrough(new DecompressionStream('deflate'))).arrayBuffer())
  const view = new DataView(bytes.buffer)
  if (bytes.length < header || cookieOf(view, 0) !== plain) throw new Error('this is not a histogram')
  const digits = view.getUint32(12)
  const unit = Math.floor(Math.log2(Math.max(1, Number(view.getBigInt64(16)))))
  const half = Math.ceil(Math.log2(2 * 10 ** digits)) - 1 // half of a bucket's bars, as a power of two
  const bars: Bar[] = []
  let index = 0
  for (let at = header; at < header + view.getUint32(4); ) {
    // A number in 7 bits a byte, the lowest first; zigzag puts its sign into the lowest bit.
    let number = 0
    for (let bits = 0; ; bits += 7) {
      const byte = bytes[at++] ?? 0
      number += (bits < 56 ? byte & 0x7f : byte) * 2 ** bits
      if (byte < 0x80 || bits === 56) break
    }
    const count = number % 2 === 0 ? number / 2 : -(number + 1) / 2
    if (count < 0) {
      index -= count // a run of empty bars
      continue
    }
    if (count > 0) {
      const bucket = Math.max(0, Math.floor(index / 2 ** half) - 1)
      const width = 2 ** (bucket + unit)
      bars.push({ value: (index - bucket * 2 ** half) * width + Math.floor(width / 2), count })
    }
    index++
  }
  return bars
}

/** The bars of each kind of transaction of a run. */
export type Kinds = ReadonlyMap<string, Bar[]>

/** The bars of the response times of a run, by kind of transaction. */
export async function kindsOf({ histograms }: Distributions): Promise<Kinds> {
  return new Map(await Promise.all(histograms.flatMap(({ kind, response_histogram: text }) => (text === undefined ? [] : [barsOf(text).then((bars): [string, Bar[]] => [kind, bars])]))))
}

/** The number of points of a line between two powers of ten. */
const steps = 20
const milliseconds = 1e6

/** The share of values in each step of a logarithmic axis, in percent, between an empty step before the first and one after the last. */
export function sharesOf(bars: readonly Bar[]): [number, number][] {
  const shares = new Map<number, number>()
  let all = 0
  for (const { value, count } of bars) {
    const step = Math.floor(steps * Math.log10(Math.max(value, 1) / milliseconds))
    shares.set(step, (shares.get(step) ?? 0) + count)
    all += count
  }
  if (all === 0) return []
  const [first, last] = [Math.min(...shares.keys()) - 1, Math.max(...shares.keys()) + 1]
  return Array.from({ length: last - first + 1 }, (_, i) => [Number((10 ** ((first + i + 0.5) / steps)).toPrecision(6)), (100 * (shares.get(first + i) ?? 0)) / all])
}

/** The distributions of several runs, of a kind of transaction or of all; undefined without any. */
export function histogramChart(runs: readonly Kinds[], names: readonly string[], kind: string): LineChart | undefined {
  const lines = runs.map((kinds, i): Line => ({ name: names[i] ?? '', is: `run ${i + 1}`, points: sharesOf(kind === '' ? [...kinds.values()].flat() : (kinds.get(kind) ?? [])) }))
  if (!lines.some(({ points }) => points.length > 0)) return undefined
  return {
    kind: 'lines',
    title: 'Distribution of response times',
    x: 'response time (ms)',
    y: 'share of transactions (%)',
    unit: '%',
    decades: true,
    lines,
    phases: [],
    table: {
      columns: [{ name: 'run' }, { name: 'response time', unit: 'ms' }, { name: 'share of transactions', unit: '%' }],
      rows: lines.flatMap((line) => line.points.map(([time, share]): Cell[] => [line.name, time, share])),
    },
  }
}
