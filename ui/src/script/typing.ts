// What is typed goes up in requests, one after another and in order: what is typed while one
// is under way goes with the next.

/** Sends texts in order. */
export class Typing {
  private waiting = ''
  private sending = false

  constructor(
    private readonly send: (text: string) => Promise<void>,
    private readonly failed: (error: unknown) => void,
  ) {}

  /** Sends a text when those before it have been taken. */
  async type(text: string): Promise<void> {
    this.waiting += text
    if (this.sending) return
    this.sending = true
    try {
      while (this.waiting !== '') {
        const next = this.waiting.slice(0, longest)
        this.waiting = this.waiting.slice(longest)
        await this.send(next)
      }
    } catch (error) {
      this.waiting = '' // what follows would be out of place
      this.failed(error)
    } finally {
      this.sending = false
    }
  }
}

/** How many characters a request takes, which have up to three bytes each. */
const longest = 16_000
