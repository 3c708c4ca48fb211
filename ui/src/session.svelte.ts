// The user who is logged in, and their permissions. The server enforces them; pages only disable what it would refuse,
// and say why.

/** The server's description of a session. */
interface Told {
  user: string
  role: string
  /** The roles of a member, by project. */
  projects?: Record<string, string>
  may_act: boolean
  read_only: boolean
  by: string
  other_sessions: number
  /** What a visitor with a shared link sees. */
  shared?: SharedPage
}

/** What a shared link shows, who made it, and until when it works. */
export interface SharedPage {
  kind: string
  ids: string[]
  by: string
  until: string
}

/** Roles by project in words: "act in kernel, look in nightly". */
export function inProjects(roles: Record<string, string> | undefined): string {
  return Object.entries(roles ?? {}).map(([project, role]) => `${role} in ${project}`).join(', ')
}

/** Whether this is a shared page, which shows one thing to people without a login. */
export const visiting = /\/shared\/[^/]+\/$/.test(location.pathname)

class Session {
  #told = $state.raw<Told>()
  #asking = $state(false)

  /** The name of the user; "" if unknown. */
  get user(): string {
    return this.#told?.user ?? ''
  }

  /** Whether the user logged in with the link, which works once. */
  get byLink(): boolean {
    return this.user === 'link'
  }

  /** What the shared link shows; undefined if unknown, and for users. */
  get shared(): SharedPage | undefined {
    return this.#told?.shared
  }

  /** How the user logged in: password, token or link; "" if unknown. */
  get by(): string {
    return this.#told?.by ?? ''
  }

  /** The role of the user; "" if unknown. */
  get role(): string {
    return this.#told?.role ?? ''
  }

  /** The number of the user's other sessions. */
  get others(): number {
    return this.#told?.other_sessions ?? 0
  }

  /** Whether the server is read-only. */
  get readOnly(): boolean {
    return this.#told?.read_only ?? false
  }

  /** Whether the request for the session is in flight. */
  get pending(): boolean {
    return this.#told === undefined && this.#asking
  }

  /** Whether the user may start, change and delete. */
  get mayAct(): boolean {
    return this.#told?.may_act ?? !this.#asking // if unknown, the server refuses what is not allowed
  }

  /** Whether the user has roles in projects only. */
  get member(): boolean {
    return this.role === 'member'
  }

  /** Whether the user may change and delete a job, or start a saved set-up: with the role act, or in its project. */
  mayActOn(of: { labels?: Record<string, string> | undefined }): boolean {
    return this.mayAct || this.#has(of, ['act', 'own'])
  }

  /** Whether the user may share a job by a link. */
  mayShare(of: { labels?: Record<string, string> | undefined }): boolean {
    return this.mayAct || this.#has(of, ['own'])
  }

  /** Whether the user may share the jobs of at least one project. */
  get mayShareSome(): boolean {
    return this.mayAct || (this.member && !this.readOnly && Object.values(this.#told?.projects ?? {}).includes('own'))
  }

  #has({ labels }: { labels?: Record<string, string> | undefined }, roles: readonly string[]): boolean {
    return this.member && !this.readOnly && roles.includes(this.#told?.projects?.[labels?.['project'] ?? ''] ?? '')
  }

  /** The roles of a member in words: "act in kernel, look in nightly". */
  get inProjects(): string {
    return inProjects(this.#told?.projects)
  }

  /** Whether the user may change what only owners may. */
  get mayOwn(): boolean {
    return this.mayAct && (this.#told === undefined || this.role === 'own')
  }

  /** Why the user may not act, in a sentence; "" if they may. */
  get why(): string {
    if (this.#told === undefined || this.mayAct || visiting) return ''
    if (this.#told.read_only) return 'Nothing can be changed here: the server was started with --read-only.'
    return this.member ? `Your roles are ${this.inProjects}. Everything else needs a role on the whole server.` : 'Your role is look: you may not change anything.'
  }

  /** Why the user may not change a job, in a sentence; "" if they may. */
  whyNot(of: { labels?: Record<string, string> | undefined }): string {
    return this.mayActOn(of) ? '' : this.why
  }

  /** The permissions in a word or two. */
  get may(): string {
    if (this.#told === undefined) return ''
    if (this.#told.read_only) return 'read-only'
    if (this.member) return Object.keys(this.#told.projects ?? {}).join(', ')
    return this.#told.may_act ? 'may act' : 'may look'
  }

  /** Requests the session. If that fails, nothing changes. */
  async ask(): Promise<void> {
    this.#asking = true
    try {
      const response = await fetch(new URL('session', document.baseURI).href, { headers: { Accept: 'application/json' }, credentials: 'same-origin' })
      if (!response.ok) return
      const told: unknown = await response.json()
      if (typeof told === 'object' && told !== null && 'may_act' in told) this.#told = told as Told
    } catch {
      // The page reports a lost server.
    } finally {
      this.#asking = false
    }
  }
}

export const session = new Session()
