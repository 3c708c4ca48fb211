// The time zone of all times on the pages: UTC, as on the command line and in reports, unless the user has chosen the
// browser's.

export type Zone = 'utc' | 'local'

const key = 'sledge.times'

function stored(): Zone {
  try {
    return localStorage.getItem(key) === 'local' ? 'local' : 'utc'
  } catch {
    return 'utc' // the browser has no storage
  }
}

class Times {
  choice = $state<Zone>(stored())

  choose(choice: Zone): void {
    this.choice = choice
    try {
      localStorage.setItem(key, choice)
    } catch {
      // The choice lasts until the page is closed.
    }
  }

  /** The minutes that the chosen zone is ahead of UTC at a moment. */
  ahead(at: Date): number {
    return this.choice === 'local' ? -at.getTimezoneOffset() : 0
  }
}

export const times = new Times()

/** The browser's time zone by its name, such as Europe/Berlin. */
export function localZone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone
}
