// The option that the page explains: the one under the pointer, or the one with the focus.

/** The name of the option whose field contains an element. */
function optionOf(target: EventTarget | null): string | undefined {
  return target instanceof Element ? target.closest<HTMLElement>('[data-option]')?.dataset['option'] : undefined
}

export class Helped {
  #focused = $state<string>()
  #pointed = $state<string>()

  /** The name of the option; undefined if there is none to explain. */
  get option(): string | undefined {
    return this.#pointed ?? this.#focused
  }

  /** Watches the fields in an element. */
  readonly watch = (element: HTMLElement): (() => void) => {
    const events = new AbortController()
    const on = (name: string, listener: (event: Event) => void): void => element.addEventListener(name, listener, { signal: events.signal })
    on('focusin', (event) => {
      this.#focused = optionOf(event.target)
      this.#pointed = undefined
    })
    on('focusout', () => (this.#focused = undefined))
    on('pointerover', (event) => (this.#pointed = optionOf(event.target)))
    on('pointerleave', () => (this.#pointed = undefined))
    return () => events.abort()
  }
}
