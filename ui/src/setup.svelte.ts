// What jobs are started with: a database, a workload, a connection and options, as one page sets
// them up and others run them. It survives a reload; passwords do not: they live as long as the
// tab, and are never stored.

/** What of a set-up is stored. */
interface Stored {
  database: string
  workload: string
  connection: string
  values: Record<string, Record<string, string>>
}

const key = 'sledge.setup'

/** Text by name, as stored; whatever else stands there is left out. */
function texts(of: unknown): Record<string, string> {
  if (typeof of !== 'object' || of === null) return {}
  return Object.fromEntries(Object.entries(of).filter((entry): entry is [string, string] => typeof entry[1] === 'string'))
}

/** The set-up that a stored text holds; one of an earlier version, or none, is empty. */
export function read(text: string | null): Stored {
  let found: Partial<Record<keyof Stored, unknown>> = {}
  try {
    found = (JSON.parse(text ?? '{}') ?? {}) as typeof found
  } catch {
    // Somebody else wrote it.
  }
  const word = (of: unknown): string => (typeof of === 'string' ? of : '')
  const values = typeof found.values === 'object' && found.values !== null ? Object.entries(found.values) : []
  return {
    database: word(found.database),
    workload: word(found.workload),
    connection: word(found.connection),
    values: Object.fromEntries(values.map(([pair, of]) => [pair, texts(of)])),
  }
}

/** Values with one of them changed, or taken out. */
function changed(values: Record<string, string>, name: string, value: string | undefined): Record<string, string> {
  const others = Object.entries(values).filter(([other]) => other !== name)
  return Object.fromEntries(value === undefined ? others : [...others, [name, value]])
}

export class Setup {
  /** The database's own name; '' until one is chosen. */
  database = $state('')
  /** The workload's own name; '' is the usual one. */
  workload = $state('')
  /** The name of a connection that is kept, or ''. */
  connection = $state('')
  #values = $state<Record<string, Record<string, string>>>({})
  #secrets = $state<Record<string, Record<string, string>>>({})
  #storage: Storage | undefined

  constructor(storage?: Storage) {
    this.#storage = storage
    let text: string | null = null
    try {
      text = storage?.getItem(key) ?? null
    } catch {
      // A browser that keeps nothing.
    }
    const stored = read(text)
    this.database = stored.database
    this.workload = stored.workload
    this.connection = stored.connection
    this.#values = stored.values
  }

  /** Each database has values of its own with each workload, so that to look at another loses none. */
  get #pair(): string {
    return `${this.database}/${this.workload}`
  }

  /** What is set, by the options' own names, and users and seed; without passwords. */
  get values(): Record<string, string> {
    return this.#values[this.#pair] ?? {}
  }

  /** Passwords, by the options' own names, while the tab is open. */
  get secrets(): Record<string, string> {
    return this.#secrets[this.#pair] ?? {}
  }

  /** Whether a database is chosen, so that a job can be started. */
  get ready(): boolean {
    return this.database !== ''
  }

  /** The settings of a job as the API takes them, passwords among them. */
  get settings(): Record<string, string> {
    return this.settingsWith({})
  }

  /** The same for what users do not matter to: the schema, and a test of the connection. */
  get settingsWithoutUsers(): Record<string, string> {
    return changed(this.settings, 'users', undefined)
  }

  /** The same with some of them changed for one job, as the users of each run of a series. */
  settingsWith(changed: Record<string, string>): Record<string, string> {
    return {
      db: this.database,
      ...(this.workload === '' ? {} : { workload: this.workload }),
      ...(this.connection === '' ? {} : { connection: this.connection }),
      ...this.values,
      ...this.secrets,
      ...changed,
    }
  }

  /** Chooses a database and a workload, by their own names. A connection is one to a database. */
  choose(database: string, workload: string): void {
    if (database !== this.database) this.connection = ''
    this.database = database
    this.workload = workload
    this.#keep()
  }

  /** Takes a connection that is kept, or '' for none. */
  connect(name: string): void {
    this.connection = name
    this.#keep()
  }

  /** Sets an option, users or seed; undefined leaves it at what it is without. */
  set(name: string, value: string | undefined): void {
    this.#values[this.#pair] = changed(this.values, name, value)
    this.#keep()
  }

  /** Sets a password, for as long as the tab is open. */
  setSecret(name: string, value: string | undefined): void {
    this.#secrets[this.#pair] = changed(this.secrets, name, value)
  }

  /** Puts other settings in the place of those of their database and workload. */
  replace(database: string, workload: string, values: Record<string, string>): void {
    this.choose(database, workload)
    this.connection = ''
    this.#values[this.#pair] = values
    this.#secrets[this.#pair] = {}
    this.#keep()
  }

  /** For how many databases and workloads something is set. */
  get kept(): number {
    return Object.values(this.#values).filter((values) => Object.keys(values).length > 0).length
  }

  /** Forgets all that was set up. */
  forget(): void {
    this.database = this.workload = this.connection = ''
    this.#values = {}
    this.#secrets = {}
    this.#keep()
  }

  #keep(): void {
    const stored: Stored = { database: this.database, workload: this.workload, connection: this.connection, values: this.#values }
    try {
      this.#storage?.setItem(key, JSON.stringify(stored))
    } catch {
      // It holds until the page is closed.
    }
  }
}

function storage(): Storage | undefined {
  try {
    return globalThis.localStorage
  } catch {
    return undefined
  }
}

/** The set-up of this tab. */
export const setup = new Setup(storage())
