// Builds a schema and runs it: the server starts the run when the build has succeeded. The browser keeps the ID of the
// build, so that a reload, or a new tab, finds it again.

import { APIError } from '../api/client.ts'
import { job as fetchJob } from '../api/jobs.ts'
import type { Job } from '../api/types.ts'
import { toJob, toProfile } from '../route.ts'
import { storage } from '../setup.svelte.ts'
import { chain as fetchChain, options, startChain, startJob, stopChain, type Values } from './api.ts'
import { settingsOf } from './form.ts'

/** The interval between two looks at the build, in milliseconds. */
const again = 1000

const key = 'sledge.chain'

/** Starts the build of settings, or continues it. */
export async function startBuild(settings: Values, resume = false): Promise<Job> {
  const all = await options(settings['db'] ?? '', settings['workload'] ?? '')
  const own = Object.fromEntries(Object.entries(settings).filter(([name]) => name !== 'users'))
  return (await startJob({ action: 'build', settings: settingsOf('build', own, all.options ?? []), ...(resume ? { resume } : {}) })) as Job
}

export class BuildThenRun {
  /** The build; undefined if there is none, or if the run has begun. */
  build = $state.raw<Job>()
  /** The error of the last request, if any. */
  failed = $state.raw<unknown>()
  #id = ''
  /** The page from which the run's page opens. */
  #at = ''
  #timer: ReturnType<typeof setTimeout> | undefined
  readonly #storage: Storage | undefined

  /** With a storage, it follows the build that was started there, if any. */
  constructor(storage?: Storage) {
    this.#storage = storage
    const id = storage?.getItem(key)
    if (id) this.#follow(id, 0)
  }

  /** Whether a run follows the build. */
  get waiting(): boolean {
    return this.build?.status === 'running'
  }

  /** Starts the build. It fails if the build cannot begin. */
  async start(settings: Values, resume = false): Promise<void> {
    this.#forget()
    const { build } = await startChain(settings, resume)
    this.#storage?.setItem(key, build)
    this.#follow(build, again)
    this.build = await fetchJob(build)
  }

  /** Ends the wait: the build continues, and no run follows. */
  async stop(): Promise<void> {
    const id = this.#id
    this.#forget()
    await stopChain(id)
  }

  #forget(): void {
    clearTimeout(this.#timer)
    this.#storage?.removeItem(key)
    this.#id = ''
    this.build = undefined
    this.failed = undefined
  }

  #follow(id: string, after: number): void {
    this.#id = id
    this.#at = location.hash
    this.#later(id, after)
  }

  #later(id: string, after = again): void {
    this.#timer = setTimeout(() => void this.#look(id), after)
  }

  /** Looks at the build. A failed request is repeated, because the server may be starting again. */
  async #look(id: string): Promise<void> {
    try {
      const { state, run, profile, reason } = await fetchChain(id)
      const build = state === 'done' || (state === 'running' && this.build) ? undefined : await fetchJob(id)
      if (this.#id !== id) return
      this.failed = undefined
      if (build) this.build = build
      if (state === 'running') return this.#later(id)
      this.#storage?.removeItem(key)
      if (state === 'failed' && build?.status === 'succeeded') this.failed = new Error(reason)
      if (state === 'done') {
        this.#forget()
        if (location.hash === this.#at) location.hash = profile ? toProfile(profile) : toJob(run ?? '')
      } else if (state === 'stopped') this.#forget()
    } catch (error) {
      if (this.#id !== id) return
      if (error instanceof APIError && error.status === 404) return this.#forget() // the server has started again
      this.failed = error
      this.#later(id)
    }
  }
}

/** The build of this browser after which a run starts. */
export const buildThenRun = new BuildThenRun(storage())
