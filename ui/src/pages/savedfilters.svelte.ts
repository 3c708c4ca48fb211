// The filters of the list of jobs that a user has saved. They are kept in the browser; a link to a filter is its address.

import { orders, periods, type Filter } from './filter.ts'

const key = 'sledge.filters'

/** A saved filter: its name, and the address that it leads to. */
export interface Saved {
  name: string
  address: string
}

function isSaved(of: unknown): of is Saved {
  return typeof of === 'object' && of !== null && 'name' in of && typeof of.name === 'string' && 'address' in of && typeof of.address === 'string' && of.address.startsWith('#/jobs')
}

/** The saved filters in a stored text. A text of another program gives none. */
export function read(text: string | null): Saved[] {
  try {
    const found: unknown = JSON.parse(text ?? '[]')
    return Array.isArray(found) ? found.filter(isSaved) : []
  } catch {
    return []
  }
}

/** A name for a filter, of its values: "failed, PostgreSQL, last 7 days". */
export function nameOf(filter: Filter, titleOf: (name: string) => string): string {
  const { period, since, until, sort, text, label, ...others } = filter
  const time = period === 'dates' ? [since && `from ${since}`, until && `until ${until}`].filter(Boolean).join(' ') : (periods.find(([value]) => value === period)?.[1] ?? '')
  const order = sort === '' ? '' : (orders.find(([value]) => value === sort)?.[1] ?? '')
  return [text, label, ...Object.values(others).map((value) => (value === '' ? '' : titleOf(value))), time, order].filter(Boolean).join(', ')
}

class Filters {
  #list = $state.raw<Saved[]>([])

  constructor() {
    try {
      this.#list = read(localStorage.getItem(key))
    } catch {
      // The browser has no storage.
    }
  }

  get list(): readonly Saved[] {
    return this.#list
  }

  /** Saves a filter, or replaces the name of one with the same address. */
  save(saved: Saved): void {
    this.#keep([...this.#list.filter(({ address }) => address !== saved.address), saved])
  }

  remove(address: string): void {
    this.#keep(this.#list.filter((saved) => saved.address !== address))
  }

  #keep(list: Saved[]): void {
    this.#list = list
    try {
      localStorage.setItem(key, JSON.stringify(list))
    } catch {
      // The filters last until the page is closed.
    }
  }
}

export const savedFilters = new Filters()
