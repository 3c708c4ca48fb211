import { expect, test } from 'vitest'

import { throughput, type RunPoint } from './run.ts'

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

test('a gap in the server\'s readings stays a gap', () => {
  const points = [1, 2, 3, 9, 10].map((time): RunPoint => ({ at: new Date(1000 * time).toISOString(), phase: 'measure', offset_seconds: time, time, client_tpm: 1, server_tpm: 60 * time }))
  expect(throughput({ points }, 1)?.lines[1]?.points).toEqual([[1, 120], [2, 180], [3, null], [9, 600], [10, null]])
})
