import { tick } from 'svelte'

/** The action of a page's buttons, one at a time, and its error. */
export class Doing {
  /** The page's name of the current action, or ''. */
  what = $state('')
  /** The error of the last action, if any. */
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
      // The button has lost the focus while it was disabled.
      await tick()
      if (pressed instanceof HTMLElement && document.activeElement === document.body) pressed.focus()
    }
  }
}
