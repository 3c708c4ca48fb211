// Notifications of this browser: while a page is open in a tab, each job that ends is shown, whatever program started
// it. They are a setting of the browser, which asks for permission only when the user turns them on.

import { jobs } from './api/jobs.ts'
import type { Job } from './api/types.ts'
import { endedSince, seenIn, wordsOf, type Seen } from './ended.ts'
import { toJob } from './route.ts'
import { titles } from './titles.svelte.ts'

/** The item of the browser's storage, which App.svelte reads, too. */
const key = 'sledge.notifications'

/** How often the list of jobs is requested, in milliseconds. Browsers wait longer in a hidden tab. */
const pause = 10_000

/** The number of newest jobs that are watched. */
const watched = 40

/** Why this browser cannot show notifications, or "". */
function obstacle(): string {
  if (!window.isSecureContext) return 'Browsers allow notifications only with HTTPS or on localhost.'
  if (!('Notification' in window)) return 'This browser has no notifications.'
  if (Notification.permission === 'denied') return 'This browser refuses notifications of this site: allow them in its settings of the site, and turn them on again.'
  return ''
}

class Desktop {
  on = $state(false)
  /** Why they are not shown, or "". */
  trouble = $state('')
  #timer: ReturnType<typeof setInterval> | undefined
  #seen: Seen | undefined

  /** Asks for permission, which browsers allow only after a click. */
  async turnOn(): Promise<void> {
    this.trouble = obstacle()
    if (this.trouble !== '') return
    const answer = await Notification.requestPermission()
    this.trouble = obstacle() || (answer === 'granted' ? '' : 'You did not allow notifications, so none are shown.')
    if (this.trouble !== '') return
    this.#keep(true)
    this.resume()
  }

  turnOff(): void {
    this.#keep(false)
    this.on = false
    this.trouble = ''
    clearInterval(this.#timer)
  }

  /** Begins to watch if the user has turned them on earlier. */
  resume(): void {
    try {
      this.on = localStorage.getItem(key) === 'on'
    } catch {
      return // the browser has no storage
    }
    if (!this.on) return
    this.trouble = obstacle() || (Notification.permission === 'granted' ? '' : 'This browser does not allow notifications any more: turn them off and on again.')
    clearInterval(this.#timer)
    this.#seen = undefined
    this.#timer = setInterval(() => void this.#look(), pause)
    void this.#look()
  }

  /** Shows a notification; the tag replaces an earlier one of the same job, also of another tab. */
  show(title: string, body: string, tag: string, address: string): void {
    try {
      const shown = new Notification(title, { body, tag, icon: new URL('icon.svg', document.baseURI).href })
      shown.onclick = () => {
        window.focus()
        location.hash = address
        shown.close()
      }
    } catch {
      this.trouble = 'This browser does not let pages show notifications.' // phones allow them only to installed applications
    }
  }

  async #look(): Promise<void> {
    let list: Job[]
    try {
      list = (await jobs({}, watched)).jobs
    } catch {
      return // the page itself reports a lost server
    }
    if (!this.on) return
    const ended = this.#seen === undefined ? [] : endedSince(this.#seen, list)
    this.#seen = seenIn(list)
    for (const job of ended) {
      const { title, body } = wordsOf(job, (name) => titles.of(name))
      this.show(title, body, job.id, toJob(job.id))
    }
  }

  #keep(on: boolean): void {
    try {
      localStorage.setItem(key, on ? 'on' : 'off')
    } catch {
      this.trouble = 'This browser keeps no settings of this site.'
    }
  }
}

export const desktop = new Desktop()
