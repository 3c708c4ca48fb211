import { curves } from '../api/jobs.ts'
import type { Curves } from '../api/types.ts'

/** The size of a curve in pixels, with room for its stroke. */
const width = 96
const height = 22
const edge = 2

/** The points of a polyline for rates, from 0 at the bottom; "" if there are fewer than two. */
export function curveOf(rates: readonly number[]): string {
  const most = Math.max(...rates)
  if (rates.length < 2 || most <= 0) return ''
  return rates.map((rate, i) => `${((width * i) / (rates.length - 1)).toFixed(1)},${(height - edge - ((height - 2 * edge) * rate) / most).toFixed(1)}`).join(' ')
}

/** The curves that the page has loaded by job, or "" for a run without rates. */
export const loaded = new Map<string, string>()

/** The jobs of the next request, and that request. */
let wanted: string[] = []
let next: Promise<Curves> | undefined

/** Loads the curve of a job. One request loads the curves of all jobs that appear on the screen together. */
export async function curve(id: string): Promise<string> {
  wanted.push(id)
  next ??= new Promise((resolve) => setTimeout(resolve)).then(() => {
    const ids = wanted
    wanted = []
    next = undefined
    return curves(ids)
  })
  const points = curveOf((await next)[id] ?? [])
  loaded.set(id, points)
  return points
}
