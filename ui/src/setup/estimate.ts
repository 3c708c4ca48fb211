// The estimate of a test: the time of its build, the time of its run, and the size of its data, each if it is known.

import type { Job } from '../api/types.ts'
import { bytes, plural, tookOf } from '../format.ts'
import type { Action, Option } from './api.ts'
import { secondsOf } from './form.ts'

/** The values that hold now, by option. */
export type Holding = (option: string) => string

/** A time, and the job that it is known from, unless the options tell. */
export interface Known {
  seconds: number
  job?: Job
}

/** The option for the amount of data. */
const sizes = ['warehouses', 'scale_factor']
const sizeOf = (options: readonly Option[]): Option | undefined => options.find(({ name }) => sizes.includes(name))

/** The value of an option in a job. A record leaves out defaults. */
const recorded = (job: Job, { name, default: usual }: Option): string => job.options?.[name] ?? usual

/** The jobs on the same server with the same values of all options that an action uses, except some. */
function alike(jobs: readonly Job[], action: Action, options: readonly Option[], value: Holding, except: readonly string[] = []): Job[] {
  const compared = options.filter(
    ({ name, actions }) => ['instance', 'host', 'port', ...sizes].includes(name) || (actions as readonly string[] | undefined)?.includes(action),
  )
  return jobs.filter((job) => compared.every((option) => except.includes(option.name) || recorded(job, option) === value(option.name)))
}

/** The time of a build by the earlier one that is nearest in size, in proportion to the size; undefined if there is none. */
export function buildTime(builds: readonly Job[], options: readonly Option[], value: Holding): Known | undefined {
  const size = sizeOf(options)
  if (size === undefined) return undefined
  const share = (job: Job): number => Number(value(size.name)) / Number(recorded(job, size))
  const nearest = (job: Job): number => Math.abs(Math.log(share(job)))
  const [job] = alike(builds, 'build', options, value, sizes).sort((a, b) => nearest(a) - nearest(b))
  const seconds = job && (tookOf(job) ?? 0) * share(job)
  return job && seconds ? { seconds, job } : undefined
}

/**
 * The time of a number of runs: the ramp-up and the measured time, or for a run that ends with its work, that of an earlier
 * run of the same; undefined if there is none.
 */
export function runTime(runs: readonly Job[], options: readonly Option[], value: Holding, users: readonly number[]): Known | undefined {
  if (options.some(({ name }) => name === 'duration')) {
    const each = (secondsOf(value('rampup')) ?? NaN) + (secondsOf(value('duration')) ?? NaN)
    return value('driver') === 'timed' && each > 0 ? { seconds: each * users.length } : undefined
  }
  const [job] = alike(runs, 'run', options, value).filter((run) => users.length === 1 && run.users === users[0])
  const seconds = job && tookOf(job)
  return job && seconds ? { seconds, job } : undefined
}

/** The amount of data (docs/sizing.md, docs/tproch.md); '' if it is not known. */
export function room(database: string, options: readonly Option[], value: Holding): string {
  const size = sizeOf(options)
  const n = Number(value(size?.name ?? ''))
  if (!(n > 0)) return ''
  if (size?.name === 'scale_factor') return `${bytes(n * 1e9)} of rows, without indexes`
  return database === 'redis' ? `${bytes(n * 190e6)} of memory` : `${bytes(n * 100e6)} on disk`
}

/** The amount of data of a build: "10 warehouses", "scale factor 1". */
export function dataOf(job: Job, options: readonly Option[]): string {
  const size = sizeOf(options)
  if (size === undefined) return ''
  const n = recorded(job, size)
  return size.name === 'warehouses' ? plural(Number(n), 'warehouse') : `scale factor ${n}`
}
