// Light or dark colours: those of the system, unless the user has chosen.

export type Choice = 'system' | 'light' | 'dark'

/** The choices with their labels. */
export const choices: { choice: Choice; name: string }[] = [
  { choice: 'system', name: 'System default' },
  { choice: 'light', name: 'Light' },
  { choice: 'dark', name: 'Dark' },
]

const key = 'sledge.theme'
const systemIsDark = typeof matchMedia === 'function' ? matchMedia('(prefers-color-scheme: dark)') : undefined

function stored(): Choice {
  try {
    const value = localStorage.getItem(key)
    return value === 'light' || value === 'dark' ? value : 'system'
  } catch {
    return 'system' // the browser has no storage
  }
}

class Theme {
  choice = $state<Choice>('system')
  #system = $state(false)

  /** Whether the page is dark. */
  get dark(): boolean {
    return this.choice === 'system' ? this.#system : this.choice === 'dark'
  }

  constructor() {
    this.choice = stored()
    this.#system = systemIsDark?.matches ?? false
    systemIsDark?.addEventListener('change', (event) => (this.#system = event.matches))
    this.#show()
  }

  choose(choice: Choice): void {
    this.choice = choice
    try {
      localStorage.setItem(key, choice)
    } catch {
      // The choice lasts until the page is closed.
    }
    this.#show()
  }

  #show(): void {
    document.documentElement.dataset['theme'] = this.choice
  }
}

export const theme = new Theme()
