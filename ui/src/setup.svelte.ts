// The set-up with which jobs are started: a database, a workload, a connection and options. One page changes it and
// others use it. It survives a reload. Passwords do not: they live as long as the tab and are never stored.

/** The stored part of a set-up. */
interface Stored {
  database: string
  workload: string
  connection: string
  values: Record<string, Record<string, string>>
  /** The number of the saved set-up that was opened, or 0. */
  opened: number
}

const key = 'sledge.setup'

/** The stored texts by name; other values are left out. */
function texts(of: unknown): Record<string, string> {
  if (typeof of !== 'object' || of === null) return {}
  return Object.fromEntries(Object.entries(of).filter((entry): entry is [string, string] => typeof entry[1] === 'string'))
}

/** The set-up in a stored text. A text of an earlier version, or none, gives an empty set-up. */
export function read(text: string | null): Stored {
  let found: Partial<Record<keyof Stored, unknown>> = {}
  try {
    found = (JSON.parse(text ?? '{}') ?? {}) as typeof found
  } catch {
    // Another program wrote it.
  }
  const word = (of: unknown): string => (typeof of === 'string' ? of : '')
  const values = typeof found.values === 'object' && found.values !== null ? Object.entries(found.values) : []
  return {
    database: word(found.database),
    workload: word(found.workload),
    connection: word(found.connection),
    values: Object.fromEntries(values.map(([pair, of]) => [pair, texts(of)])),
    opened: typeof found.opened === 'number' ? found.opened : 0,
  }
}

/** Values with one of them changed or removed. */
function changed(values: Record<string, string>, name: string, value: string | undefined): Record<string, string> {
  const others = Object.entries(values).filter(([other]) => other !== name)
  return Object.fromEntries(value === undefined ? others : [...others, [name, value]])
}

export class Setup {
  /** The database's own name; '' until one is chosen. */
  database = $state('')
  /** The workload's own name; '' is the default workload. */
  workload = $state('')
  /** The name of a saved connection, or ''. */
  connection = $state('')
  /** The number of the saved set-up from which this one was made, or 0. */
  opened = $state(0)
  #values = $state<Record<string, Record<string, string>>>({})
  #secrets = $state<Record<string, Record<string, string>>>({})
  #storage: Storage | undefined

  constructor(storage?: Storage) {
    this.#storage = storage
    let text: string | null = null
    try {
      text = storage?.getItem(key) ?? null
    } catch {
      // The browser has no storage.
    }
    const stored = read(text)
    this.database = stored.database
    this.workload = stored.workload
    this.connection = stored.connection
    this.#values = stored.values
    this.opened = stored.opened
  }

  /** Each pair of a database and a workload has its own values, so that switching loses none. */
  get #pair(): string {
    return `${this.database}/${this.workload}`
  }

  /** The values by option, including users and seed, without passwords. */
  get values(): Record<string, string> {
    return this.#values[this.#pair] ?? {}
  }

  /** The passwords by option, while the tab is open. */
  get secrets(): Record<string, string> {
    return this.#secrets[this.#pair] ?? {}
  }

  /** Whether a database is chosen, so that a job can be started. */
  get ready(): boolean {
    return this.database !== ''
  }

  /** The settings of a job for the API, including passwords. */
  get settings(): Record<string, string> {
    return this.settingsWith({})
  }

  /** The settings without users, for the schema and a connection test. */
  get settingsWithoutUsers(): Record<string, string> {
    return changed(this.settings, 'users', undefined)
  }

  /** The settings with some changed for one job, such as users. */
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

  /** The settings of any database and workload, without passwords. */
  settingsOf(database: string, workload: string): Record<string, string> {
    return {
      db: database,
      workload,
      ...(this.connection === '' || database !== this.database ? {} : { connection: this.connection }),
      ...this.#values[`${database}/${workload}`],
    }
  }

  /** Chooses a database and a workload by their own names. Another database resets the connection. */
  choose(database: string, workload: string): void {
    if (database !== this.database) this.connection = ''
    this.database = database
    this.workload = workload
    this.#keep()
  }

  /** Chooses a saved connection, or '' for none. */
  connect(name: string): void {
    this.connection = name
    this.#keep()
  }

  /** Sets an option, users or seed; undefined resets it. */
  set(name: string, value: string | undefined): void {
    this.#values[this.#pair] = changed(this.values, name, value)
    this.#keep()
  }

  /** Sets a password, for as long as the tab is open. */
  setSecret(name: string, value: string | undefined): void {
    this.#secrets[this.#pair] = changed(this.secrets, name, value)
  }

  /** Replaces the settings of a database and workload. */
  replace(database: string, workload: string, values: Record<string, string>): void {
    this.choose(database, workload)
    this.connection = ''
    this.opened = 0
    this.#values[this.#pair] = values
    this.#secrets[this.#pair] = {}
    this.#keep()
  }

  /** Replaces the settings with those of a saved set-up. */
  open(number: number, { db, workload, connection, ...values }: Record<string, string>): void {
    this.replace(db ?? '', workload ?? '', values)
    this.connection = connection ?? ''
    this.belongTo(number)
  }

  /** Notes the number of the saved set-up that these settings belong to, or 0. */
  belongTo(number: number): void {
    this.opened = number
    this.#keep()
  }

  /** The number of pairs of a database and a workload with values. */
  get kept(): number {
    return Object.values(this.#values).filter((values) => Object.keys(values).length > 0).length
  }

  /** Removes all set-ups. */
  forget(): void {
    this.database = this.workload = this.connection = ''
    this.opened = 0
    this.#values = {}
    this.#secrets = {}
    this.#keep()
  }

  #keep(): void {
    const stored: Stored = { database: this.database, workload: this.workload, connection: this.connection, values: this.#values, opened: this.opened }
    try {
      this.#storage?.setItem(key, JSON.stringify(stored))
    } catch {
      // The set-up lasts until the page is closed.
    }
  }
}

/** The storage of the browser; undefined if it has none. */
export function storage(): Storage | undefined {
  try {
    return globalThis.localStorage
  } catch {
    return undefined
  }
}

/** The set-up of this tab. */
export const setup = new Setup(storage())
