import { expect, test } from 'vitest'

import type { Latency, LivePoint } from '../api/types.ts'
import { placed, throughput, times, type RunPoint } from './run.ts'

test('the server\'s count is drawn in the second that it belongs to', () => {
  const rates = [100, 200, 300, 200, 100, 200]
  // The server counts 0.75 s late: each rate is read one second after it, mixed with a quarter of the next.
  const points = rates.map((client_tpm, i): RunPoint => ({
    at: new Date(1000 * i).toISOString(), phase: 'measure', offset_seconds: i + 1, time: i + 1, client_tpm,
    ...(i === 0 ? {} : { server_tpm: 0.75 * (rates[i - 1] ?? 0) + 0.25 * client_tpm }),
  }))
  const drawn = (late: number): (number | null)[] => throughput({ points }, late)?.lines[1]?.points.map(([, value]) => value) ?? []
  expect(drawn(0)).toEqual([null, 125, 225, 275, 175, 125])
  // Each value is between the two readings around it, and the last ones have not been read yet.
  expect(drawn(0.75)).toEqual([null, 200, 263, 200, 138, null])
})

const at = (time: number, more: Partial<LivePoint> = {}): LivePoint => ({ at: new Date(1000 * time).toISOString(), at_seconds: time, seconds: 1, phase: 'measure', offset_seconds: time, users: [], client_tpm: 60, server_tpm: 60, response: { p50_ms: 1, max_ms: 2 } as Latency, ...more })

test('a time without seconds is a gap with its reason, and not crossed by a line', () => {
  const points = placed([at(1), at(2), at(6), at(7)])
  const chart = throughput({ points })
  expect(chart?.lines[0]?.points).toEqual([[1, 60], [2, 60], [5, null], [6, 60], [7, 60]])
  expect(chart?.gaps).toEqual([{ from: 2, until: 5, why: 'these seconds were not recorded' }])
  // An event near its beginning is a better reason.
  const markers = [{ at_seconds: 0, kind: 'message', text: 'too early' }, { at_seconds: 2.5, kind: 'message', text: 'This client did not run: it was stopped' }]
  expect(throughput({ points, markers })?.gaps?.map(({ why }) => why)).toEqual(['This client did not run'])
  // Seconds of a run are not exact, and a point of a long run covers many.
  expect(placed([at(1), at(2.4), at(32.4, { seconds: 30 })]).map(({ missing }) => missing)).toEqual([undefined, undefined, undefined])
})

test('a line says why it has no values where others have some', () => {
  const unread = at(3)
  delete unread.server_tpm
  const points = placed([at(1, { phase: 'ramp-up' }), at(2), unread, at(4)])
  expect(throughput({ points })?.gaps).toEqual([{ line: "server's count", from: 2, until: 3, why: 'the count was not read, or the users had just reported to the server' }])
  expect(throughput({ points }, 0.75)?.gaps?.at(-1)).toEqual({ line: "server's count", from: 3, until: 4, why: 'the server counts these transactions later', usual: true })
  expect(times({ points }, 'response')?.gaps).toEqual([])
})

test('a gap in the server\'s readings stays a gap', () => {
  const points = [1, 2, 3, 9, 10].map((time): RunPoint => ({ at: new Date(1000 * time).toISOString(), phase: 'measure', offset_seconds: time, time, client_tpm: 1, server_tpm: 60 * time }))
  expect(throughput({ points }, 1)?.lines[1]?.points).toEqual([[1, 120], [2, 180], [3, null], [9, 600], [10, null]])
})
