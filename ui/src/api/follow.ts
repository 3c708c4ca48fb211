// A stream of events that continues where it was after it lost its connection.

import { APIError } from './client.ts'

/** The state of a stream's connection. Times are in milliseconds since 1970. */
export type Connection =
  | { state: 'connecting' }
  | { state: 'open' }
  /** Open, but without a message since this time. */
  | { state: 'quiet'; since: number }
  /** Lost since this time. The next attempt follows by itself. */
  | { state: 'lost'; since: number; next: number }
  /** Refused by the server, so that another attempt would not help. */
  | { state: 'refused'; error: APIError }
  | { state: 'over' }

/** Receives the events of a stream. */
export interface Listener {
  message(data: string): void
  /** Receives the last message. */
  over(data: string): void
  connection(now: Connection): void
}

/** The part of an EventSource that a Follower uses. */
export interface Source {
  onopen: (() => void) | null
  onerror: (() => void) | null
  onmessage: ((event: MessageEvent<string>) => void) | null
  addEventListener(name: string, listener: (event: MessageEvent<string>) => void): void
  close(): void
}

/** Options of a Follower. */
export interface Ways {
  /**
   * After this time without a message, in milliseconds, a connection counts as lost, and after a quarter of it as
   * quiet. The stream of a job sends a message at least every two seconds.
   */
  silence?: number
  open?: (url: string) => Source
}

/** The delays before the next attempts, in milliseconds. */
const waits = [1000, 2000, 4000, 8000, 15_000]

/**
 * Follows a stream until it is over or closed. EventSource alone gives up if a proxy answers while the server
 * restarts, and does not notice that the computer slept.
 */
export class Follower {
  #source: Source | undefined
  #last = ''
  #heard = 0
  #lost: number | undefined
  #quiet = false
  #tries = 0
  #timer: ReturnType<typeof setTimeout> | undefined
  #watch: ReturnType<typeof setInterval>
  #done = false
  readonly #silence: number
  readonly #open: (url: string) => Source
  readonly #wake = (): void => this.#awake()

  constructor(
    /** The address of the stream after the message with an id; "" is the beginning. */
    private readonly url: (after: string) => string,
    private readonly listener: Listener,
    /** Sends another request, to learn why the stream fails. It fails with an APIError. */
    private readonly ask: () => Promise<unknown>,
    { silence = 20_000, open = (url) => new EventSource(url) as unknown as Source }: Ways = {},
  ) {
    this.#silence = silence
    this.#open = open
    this.#watch = setInterval(() => this.#look(), 1000)
    addEventListener('online', this.#wake)
    document.addEventListener('visibilitychange', this.#wake)
    listener.connection({ state: 'connecting' })
    this.#connect()
  }

  /** Connects again at once. */
  again(): void {
    if (this.#done) return
    clearTimeout(this.#timer)
    this.#tries = 0
    this.#connect()
  }

  close(): void {
    this.#done = true
    this.#source?.close()
    this.#source = undefined
    clearTimeout(this.#timer)
    clearInterval(this.#watch)
    removeEventListener('online', this.#wake)
    document.removeEventListener('visibilitychange', this.#wake)
  }

  #connect(): void {
    this.#source?.close()
    const source = this.#open(this.url(this.#last))
    this.#source = source
    this.#heard = Date.now()
    source.onopen = () => this.#hear()
    source.onmessage = (event) => {
      this.#hear()
      this.#last = event.lastEventId
      this.listener.message(event.data)
    }
    source.addEventListener('over', (event) => {
      this.close()
      this.listener.connection({ state: 'over' })
      this.listener.over(event.data)
    })
    source.onerror = () => {
      if (this.#source === source) void this.#lose()
    }
  }

  #hear(): void {
    this.#heard = Date.now()
    if (this.#lost !== undefined || this.#quiet || this.#tries === 0) this.listener.connection({ state: 'open' })
    this.#lost = undefined
    this.#quiet = false
    this.#tries = 1
  }

  /** Connects again after a growing delay, unless the server refuses. */
  async #lose(): Promise<void> {
    this.#source?.close()
    this.#source = undefined
    this.#lost ??= this.#heard
    this.#quiet = false
    const wait = waits[Math.min(Math.max(this.#tries - 1, 0), waits.length - 1)] ?? 15_000
    this.#tries++
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.#connect(), wait)
    this.listener.connection({ state: 'lost', since: this.#lost, next: Date.now() + wait })
    try {
      await this.ask()
    } catch (error) {
      // Without a response, or with one of a proxy, the next attempt may succeed.
      if (this.#done || !(error instanceof APIError) || error.status < 400 || error.status >= 500 || error.status === 429) return
      clearTimeout(this.#timer)
      this.listener.connection({ state: 'refused', error })
    }
  }

  /** Notices a connection that is open but silent, for example after a network failure or a sleep. */
  #look(): void {
    if (this.#source === undefined) return
    const silent = Date.now() - this.#heard
    if (silent > this.#silence) void this.#lose()
    else if (silent > this.#silence / 4 && this.#lost === undefined && this.#tries > 0 && !this.#quiet) {
      this.#quiet = true
      this.listener.connection({ state: 'quiet', since: this.#heard })
    }
  }

  /** Connects at once when the page becomes visible or online again. */
  #awake(): void {
    if (!document.hidden && this.#lost !== undefined && this.#source === undefined) this.again()
    else this.#look()
  }
}
