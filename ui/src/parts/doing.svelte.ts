import { tick } from 'svelte'

/** What the buttons of a page do: one thing at a time, and what went wrong with it. */
export class Doing {
  /** What is being done, by a name that the page has for it; '' is nothing. */
  what = $state('')
  /** What went wrong with the last, if anything did. */
  failed = $state.raw<unknown>()

  async run(what: string, work: () => Promise<void>): Promise<void> {
    const pressed = document.activeElement
    this.what = what
    this.failed = undefined
    try {
      await work()
    } catch (reason) {
      this.failed = reason
    } finally {
      this.what = ''
      // A button that could not be pressed meanwhile has lost the focus.
      await tick()
      if (pressed instanceof HTMLElement && document.activeElement === document.body) pressed.focus()
    }
  }
}
