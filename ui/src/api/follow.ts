// A stream of events that goes on where it was when its connection comes back.

import { APIError } from './client.ts'

/** How the connection of a stream stands. Times are in milliseconds since 1970. */
export type Connection =
  | { state: 'connecting' }
  | { state: 'open' }
  /** It is open, and nothing has come since then. */
  | { state: 'quiet'; since: number }
  /** It is gone since then, and is tried again by itself. */
  | { state: 'lost'; since: number; next: number }
  /** The server answers, and will not send it: trying again would not help. */
  | { state: 'refused'; error: APIError }
  | { state: 'over' }

/** What is told of a stream. */
export interface Listener {
  message(data: string): void
  /** The last message; nothing comes after it. */
  over(data: string): void
  connection(now: Connection): void
}

/** What a Follower needs of an EventSource. */
export interface Source {
  onopen: (() => void) | null
  onerror: (() => void) | null
  onmessage: ((event: MessageEvent<string>) => void) | null
  addEventListener(name: string, listener: (event: MessageEvent<string>) => void): void
  close(): void
}

/** How a stream is followed. */
export interface Ways {
  /**
   * A connection on which nothing has come for so many milliseconds is gone, and for a quarter of
   * that is quiet. How a job stands is told every two seconds at least.
   */
  silence?: number
  open?: (url: string) => Source
}

/** How long is waited before the next attempts, in milliseconds. */
const waits = [1000, 2000, 4000, 8000, 15_000]

/**
 * Follows a stream until it is over or closed. EventSource alone gives up where a proxy answers for
 * a server that is being started again, and does not notice a laptop that slept.
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
    /** The address of the stream for who has read up to an id; "" is the beginning. */
    private readonly url: (after: string) => string,
    private readonly listener: Listener,
    /** Asks for something beside the stream, to learn why there is none. It fails with an APIError. */
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

  /** Tries again at once. */
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

  /** The connection is gone: tries again, later and later, unless the server says that there is none. */
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
      // No answer, or one of a proxy's, may be another in a moment.
      if (this.#done || !(error instanceof APIError) || error.status < 400 || error.status >= 500 || error.status === 429) return
      clearTimeout(this.#timer)
      this.listener.connection({ state: 'refused', error })
    }
  }

  /** Notices a connection that is open and silent, as where a network is cut or after a sleep. */
  #look(): void {
    if (this.#source === undefined) return
    const silent = Date.now() - this.#heard
    if (silent > this.#silence) void this.#lose()
    else if (silent > this.#silence / 4 && this.#lost === undefined && this.#tries > 0 && !this.#quiet) {
      this.#quiet = true
      this.listener.connection({ state: 'quiet', since: this.#heard })
    }
  }

  /** Whoever comes back does not wait for the next attempt. */
  #awake(): void {
    if (!document.hidden && this.#lost !== undefined && this.#source === undefined) this.again()
    else this.#look()
  }
}
