// What was recorded about the part of a run's time that is shown.

import { untrack } from 'svelte'
import type { Viewport } from '../../charts/viewport.svelte.ts'
import { boundsOf, type Bounds } from './shared.ts'

/** The time between two requests about a running job, in milliseconds. */
const every = 2000
/** The delay after the last zoom before the part is requested, in milliseconds. */
const settled = 150

/**
 * Requests what was recorded about the part of a run that a viewport shows, and again while the job is running. It
 * belongs to the component that creates it.
 */
export class PartOfRun<T> {
  /** The newest answer; undefined before the first. */
  found = $state.raw<T>()
  /** Why the last request failed; undefined if it did not. */
  error = $state.raw<unknown>()
  /** The beginning of the run's axis, in milliseconds; it is known after the first answer. */
  begun = $state<number>()
  #attempt = $state(0)

  /** begin returns the beginning of the axis in an answer; undefined or NaN if it is not known. */
  constructor(of: () => { id: string; running: boolean; viewport: Viewport }, request: (id: string, bounds: Bounds, signal: AbortSignal) => Promise<T>, begin: (answer: T) => string | undefined) {
    let last = ''
    $effect(() => {
      void this.#attempt
      const { id, running, viewport } = of()
      if (id !== last && last !== '') this.found = this.begun = undefined
      last = id
      const part = viewport.part
      // A part can be requested as soon as the first answer has the beginning of the axis.
      const start = part === undefined ? undefined : this.begun
      const abort = new AbortController()
      let timer: ReturnType<typeof setTimeout>
      const ask = (): void => {
        request(id, part === undefined || start === undefined ? {} : boundsOf(part, start), abort.signal).then(
          (answer) => {
            this.found = answer
            this.error = undefined
            this.begun ??= Date.parse(begin(answer) ?? '') || undefined
            if (running) timer = setTimeout(ask, every)
          },
          (reason: unknown) => {
            if (!abort.signal.aborted) this.error = reason
          },
        )
      }
      timer = setTimeout(ask, part === undefined || untrack(() => this.found) === undefined ? 0 : settled)
      return () => {
        clearTimeout(timer)
        abort.abort()
      }
    })
  }

  /** Requests it again, after an error. */
  again(): void {
    this.#attempt++
  }
}
