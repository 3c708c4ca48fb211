import { describe, expect, test } from 'vitest'
import type { ActivityOverTime } from '../../api/types.ts'
import { piled, topOf } from '../../charts/plot.ts'
import type { Run, RunPoint } from '../../charts/run.ts'
import { belongs, blockedIn, executed, noTransaction, otherPrograms, sessionsChart, sumsOf, titleOf, within } from './activity.ts'

const share = (of: Record<string, string>, over: number[]): ActivityOverTime['shares'][number] => ({ class: 'cpu', ...of, sessions: over.reduce((sum, n) => sum + n, 0), over_time: over })

/** Four seconds of 5 samples: the first is ramp-up; the third has no samples and is missing. */
const found: ActivityOverTime = {
  schema: 'sledge-activity-1',
  id: '1',
  width_seconds: 1,
  samples: 15,
  intervals: [1, 2, 4].map((at_seconds) => ({ at_seconds, samples: 5 })),
  shares: [
    share({ transaction: 'payment', statement: 'SELECT payment(?)' }, [5, 10, 5]),
    share({ transaction: 'payment', statement: 'SELECT payment(?)', class: 'lock', wait: 'Lock/tuple' }, [0, 5, 20]),
    share({ program: 'psql', statement: 'UPDATE t', class: 'network', wait: 'Client/ClientRead' }, [0, 0, 5]),
    share({ statement: 'BEGIN', class: 'network', wait: 'Client/ClientRead' }, [1, 0, 0]),
    share({ background: 'checkpointer', class: 'write', wait: 'IO/DataFileWrite' }, [5, 5, 5]),
  ],
}
const point = (time: number, phase: string): RunPoint => ({ at: '', phase: phase as RunPoint['phase'], offset_seconds: time, time, seconds: 1 })
const run: Run = { points: [point(1, 'ramp-up'), point(2, 'measure'), point(3, 'measure'), point(4, 'measure')] }

describe('sessions of a part of the time', () => {
  test('are those of the measured time if no part is chosen', () => {
    const all = within(found, run, undefined)
    expect([all.samples, all.shares.map(({ sessions }) => sessions)]).toEqual([10, [15, 25, 5, 0, 10]])
    const part = within(found, run, { from: 0.2, until: 2 })
    expect([part.samples, part.shares.map(({ sessions }) => sessions)]).toEqual([10, [15, 5, 0, 1, 10]])
    expect(within(found, { points: [point(9, 'ramp-up')] }, undefined).samples).toBe(15)
  })

  test('are added up by what they executed, with what they waited for', () => {
    const rows = sumsOf(within(found, run, undefined).shares, executed)
    expect(rows).toEqual([
      { names: ['payment', 'SELECT payment(?)'], sessions: 40, classes: [{ name: 'cpu', sessions: 15 }, { name: 'lock', sessions: 25 }] },
      { names: ['of psql', 'UPDATE t'], sessions: 5, classes: [{ name: 'network', sessions: 5 }] },
    ])
    const chosen = { table: 'executed' as const, names: rows[0]?.names ?? [] }
    expect(found.shares.filter((one) => belongs(one, chosen))).toHaveLength(2)
    expect([titleOf(chosen), titleOf({ table: 'executed', names: ['of psql', 'UPDATE t'] }), titleOf({ table: 'waited', names: ['cpu', ''] })]).toEqual(['SELECT payment(?), in payment', 'UPDATE t, of psql', 'cpu'])
  })
})

test('sessions that waited for locks are told by what held the lock, and how long', () => {
  const waits = { class: 'lock', wait: 'Lock/tuple', transaction: 'payment', statement: 'CALL payment(?)', inner: 'UPDATE t', blocker: 'psql' }
  const blocked = { ...found, shares: [...found.shares, share(waits, [5, 10, 20]), share({ ...waits, wait: 'row lock' }, [0, 5, 0]), share({ ...waits, blocker: 'new order' }, [0, 0, 1])] }
  expect(blockedIn(blocked, run, undefined)).toEqual([
    { blocker: 'psql', names: ['payment', 'UPDATE t'], sessions: 35, lost: 7, from: 1, until: 4 },
    { blocker: 'new order', names: ['payment', 'UPDATE t'], sessions: 1, lost: 0.2, from: 3, until: 4 },
  ])
  expect(blockedIn(blocked, run, { from: 0, until: 1 })).toEqual([{ blocker: 'psql', names: ['payment', 'UPDATE t'], sessions: 5, lost: 1, from: 0, until: 1 }])
  expect(blockedIn(blocked, run, undefined, { table: 'waited', names: ['lock', 'row lock'] }).map(({ sessions }) => sessions)).toEqual([5])
})

describe('the chart of sessions', () => {
  const areas = (chart = sessionsChart(found, 'class', run)) => chart?.lines.map(({ name, points }) => [name, points.map(([, mean]) => mean)])

  test('has an area for each class, in their order, with a hole where nothing was sampled', () => {
    expect(areas()).toEqual([['cpu', [1, 2, null, 1]], ['lock', [0, 1, null, 4]], ['network', [0.2, 0, null, 1]]])
    const chart = sessionsChart({ ...found, server_cpus: 8 }, 'class', run)
    expect([chart?.stacked, chart?.level, chart?.phases]).toEqual([true, { name: '8 CPUs', value: 8 }, [{ name: 'ramp-up', from: 0, to: 1 }]])
    expect(chart?.table.rows).toEqual([[1, 5, 1, 0, 0.2], [2, 5, 2, 1, 0], [4, 5, 1, 4, 1]])
  })

  test('has an area for each transaction, and grey ones for other programs and for none', () => {
    const chart = sessionsChart(found, 'transaction', run)
    expect(areas(chart)).toEqual([['payment', [1, 3, null, 5]], [noTransaction, [0.2, 0, null, 0]], [otherPrograms, [0, 0, null, 1]]])
    expect(chart?.lines.map(({ is }) => is)).toEqual(['area 1', noTransaction, otherPrograms])
  })

  test('keeps its colours if a row is chosen', () => {
    const chart = sessionsChart(found, 'wait', run, { table: 'executed', names: ['of psql', 'UPDATE t'] })
    expect(areas(chart)).toEqual([['Client/ClientRead', [0, 0, null, 1]]])
    const waits = sessionsChart(found, 'wait', run)?.lines.map(({ name, is }) => [name, is])
    expect(waits).toEqual([['Client/ClientRead', 'area 1'], ['cpu', 'wait cpu'], ['Lock/tuple', 'area 2']])
    expect(sessionsChart(found, 'wait', run, { table: 'waited', names: ['lock', 'Lock/tuple'] })?.lines.map(({ name, is }) => [name, is])).toEqual(waits?.slice(2))
  })

  test('adds up what cannot be told apart', () => {
    const many = { ...found, shares: Array.from({ length: 9 }, (_, i) => share({ wait: `wait ${i}` }, [9 - i, 0, 0])) }
    const lines = sessionsChart(many, 'wait', run)?.lines ?? []
    expect(lines.map(({ name }) => name)).toEqual(['wait 0', 'wait 1', 'wait 2', 'wait 3', 'wait 4', 'wait 5', '3 others'])
    expect(lines.at(-1)?.points[0]).toEqual([1, 1.2])
    expect(new Set(lines.map(({ is }) => is)).size).toBe(7)
    expect(sessionsChart({ ...found, intervals: [] }, 'class', run)).toBeUndefined()
  })

  test('lies on the axis of the CPUs, unless they are far above', () => {
    expect(topOf(3, { name: '4 CPUs', value: 4 })).toBeCloseTo(4.24)
    expect(topOf(0.5, { name: '16 CPUs', value: 16 })).toBeCloseTo(0.53)
    expect(topOf(null, undefined)).toBeCloseTo(1.06)
    expect(piled([[1], [2], [3]], [true, true])).toEqual([[1], [2], [5]])
  })
})
