// Builds a schema, and starts a run when the build has succeeded. It continues while the user looks at other pages of this
// tab, and ends with the tab.

import { job as fetchJob } from '../api/jobs.ts'
import type { Job } from '../api/types.ts'
import { options, startJob, type Values } from './api.ts'
import { settingsOf } from './form.ts'
import { startRun } from './start.ts'

/** The interval between two looks at the build, in milliseconds. */
const again = 1000

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
  #settings: Values = {}
  #timer: ReturnType<typeof setTimeout> | undefined

  /** Whether a run follows the build. */
  get waiting(): boolean {
    return this.build?.status === 'running'
  }

  /** Starts the build. It fails if the build cannot begin. */
  async start(settings: Values, resume = false): Promise<void> {
    this.forget()
    this.#settings = settings
    const at = location.hash
    this.build = await startBuild(settings, resume)
    this.#later(this.build.id, at)
  }

  /** Ends the wait: the build continues, and no run follows. */
  forget(): void {
    clearTimeout(this.#timer)
    this.build = undefined
    this.failed = undefined
    this.#settings = {}
  }

  #later(id: string, at: string): void {
    this.#timer = setTimeout(() => void this.#look(id, at), again)
  }

  /** Looks at the build. A failed request is repeated, because the server may be starting again. */
  async #look(id: string, at: string): Promise<void> {
    let found: Job
    try {
      found = await fetchJob(id)
      this.failed = undefined
    } catch (reason) {
      if (this.build?.id !== id) return
      this.failed = reason
      this.#later(id, at)
      return
    }
    if (this.build?.id !== id) return
    this.build = found
    if (found.status === 'running') this.#later(id, at)
    else if (found.status === 'succeeded') await this.#run(at)
  }

  /** Starts the run, and opens its page unless the user has left the page of the build. */
  async #run(at: string): Promise<void> {
    try {
      const address = await startRun(this.#settings)
      this.forget()
      if (location.hash === at) location.hash = address
    } catch (reason) {
      this.failed = reason
    }
  }
}

/** The build of this tab after which a run starts. */
export const buildThenRun = new BuildThenRun()
