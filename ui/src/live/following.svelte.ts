// Follows a running job for a page.

import { Follower, type Connection } from '../api/follow.ts'
import { job as fetchJob, liveAddress } from '../api/jobs.ts'
import type { Job, Live } from '../api/types.ts'
import { View } from './view.ts'

/** A followed job: what its stream has sent so far, and the state of the connection. Close it when its page is left. */
export class Following {
  #view = new View()
  #follower: Follower
  #clock: ReturnType<typeof setInterval>
  /** The state of the job. A hidden page collects messages, and shows them when it becomes visible. */
  shown = $state.raw(this.#view.shown)
  connection = $state.raw<Connection>({ state: 'connecting' })
  /** The time now in milliseconds since 1970, by the browser's clock. */
  now = $state(Date.now())

  constructor(id: string, over: (job: Job) => void) {
    this.#follower = new Follower(
      (after) => liveAddress(id, after),
      {
        message: (data) => {
          this.#view.add(JSON.parse(data) as Live)
          this.#show()
        },
        over: (data) => {
          this.shown = this.#view.shown
          over(JSON.parse(data) as Job)
        },
        connection: (now) => (this.connection = now),
      },
      () => fetchJob(id),
    )
    this.#clock = setInterval(() => (this.now = Date.now()), 1000)
    document.addEventListener('visibilitychange', this.#show)
  }

  /** Connects again at once. */
  again(): void {
    this.#follower.again()
  }

  close(): void {
    this.#follower.close()
    clearInterval(this.#clock)
    document.removeEventListener('visibilitychange', this.#show)
  }

  readonly #show = (): void => {
    if (!document.hidden) this.shown = this.#view.shown
  }
}
