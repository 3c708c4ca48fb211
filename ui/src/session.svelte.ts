// Who has logged in, and what they may do. The server decides; pages only leave out what it
// would refuse, and say why.

/** What the server says of a session. */
interface Told {
  user: string
  role: string
  may_act: boolean
  read_only: boolean
  by: string
  other_sessions: number
}

class Session {
  #told = $state.raw<Told>()
  #asking = $state(false)

  /** The name of who has logged in; "" where it is not known. */
  get user(): string {
    return this.#told?.user ?? ''
  }

  /** Whether they came by the link that the program printed, which works once. */
  get byLink(): boolean {
    return this.user === 'link'
  }

  /** What they came in by: password, token or link; "" where it is not known. */
  get by(): string {
    return this.#told?.by ?? ''
  }

  /** Their role; "" where it is not known. */
  get role(): string {
    return this.#told?.role ?? ''
  }

  /** How many other browsers they have logged in with. */
  get others(): number {
    return this.#told?.other_sessions ?? 0
  }

  /** Whether the server lets nobody act. */
  get readOnly(): boolean {
    return this.#told?.read_only ?? false
  }

  /** Whether it is not known yet who has logged in, but soon will be. */
  get pending(): boolean {
    return this.#told === undefined && this.#asking
  }

  /** Whether they may start, change and delete something. */
  get mayAct(): boolean {
    return this.#told?.may_act ?? !this.#asking // where the server does not say, whoever may not is refused
  }

  /** Why they may not, in a sentence; "" where they may. */
  get why(): string {
    if (this.#told === undefined || this.mayAct) return ''
    return this.#told?.read_only ? 'Nobody may change anything here: the server was started with --read-only.' : 'Your role is look: you may not change anything.'
  }

  /** What they may do, in a word or two. */
  get may(): string {
    if (this.#told === undefined) return ''
    if (this.#told.read_only) return 'read-only'
    return this.#told.may_act ? 'may act' : 'may look'
  }

  /** Asks the server. Where that has no answer, nothing changes. */
  async ask(): Promise<void> {
    this.#asking = true
    try {
      const response = await fetch(new URL('session', document.baseURI).href, { headers: { Accept: 'application/json' }, credentials: 'same-origin' })
      if (!response.ok) return
      const told: unknown = await response.json()
      if (typeof told === 'object' && told !== null && 'may_act' in told) this.#told = told as Told
    } catch {
      // The page itself says when the server is gone.
    } finally {
      this.#asking = false
    }
  }
}

export const session = new Session()
