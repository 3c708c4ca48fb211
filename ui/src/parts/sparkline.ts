import type { Rate } from '../api/types.ts'

/** The curves that the page has loaded by job: points of a polyline, or "" for a run without rates. */
export const loaded = new Map<string, string>()

/** The size of a curve in pixels, with room for its stroke. */
const width = 96
const height = 22
const edge = 2

/** The points of a polyline for the measured rates, from 0 at the bottom; "" if there are fewer than two. */
export function curveOf(points: readonly Rate[]): string {
  const rates = points.filter((point) => point.phase === 'measure').flatMap((point) => point.client_tpm ?? point.server_tpm ?? [])
  const most = Math.max(...rates)
  if (rates.length < 2 || most <= 0) return ''
  return rates.map((rate, i) => `${((width * i) / (rates.length - 1)).toFixed(1)},${(height - edge - ((height - 2 * edge) * rate) / most).toFixed(1)}`).join(' ')
}
