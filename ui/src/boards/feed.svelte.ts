// The data of a job on a board: live while it runs, and its record afterwards.

import { job as fetchJob, points as fetchPoints } from '../api/jobs.ts'
import type { Job, Points } from '../api/types.ts'
import { Following } from '../live/following.svelte.ts'

/** A job on a board. Close it when the board does not show it any more. */
export class Feed {
  /** The stream of a running job. */
  following = $state.raw<Following>()
  /** The whole record of a job that has ended. */
  job = $state.raw<Job>()
  points = $state.raw<Points>()
  error = $state.raw<unknown>()
  #abort = new AbortController()

  constructor(private readonly id: string, running: boolean) {
    if (running) this.following = new Following(id, () => this.#end())
    else this.#load()
  }

  close(): void {
    this.#abort.abort()
    this.following?.close()
  }

  #end(): void {
    this.following?.close()
    this.following = undefined
    this.#load()
  }

  #load(): void {
    Promise.all([fetchJob(this.id, this.#abort.signal), fetchPoints(this.id, {}, this.#abort.signal)]).then(
      ([job, points]) => {
        this.job = job
        this.points = points
        this.error = undefined
      },
      (reason: unknown) => {
        if (!this.#abort.signal.aborted) this.error = reason
      },
    )
  }
}
