// Sends typed text in requests, one at a time and in order. Text that is typed during a request goes with the next.

/** Sends texts in order. */
export class Typing {
  private waiting = ''
  private sending = false

  constructor(
    private readonly send: (text: string) => Promise<void>,
    private readonly failed: (error: unknown) => void,
  ) {}

  /** Sends a text after those before it. */
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
      this.waiting = '' // later text would be out of order
      this.failed(error)
    } finally {
      this.sending = false
    }
  }
}

/** The number of characters per request, of up to three bytes each. */
const longest = 16_000
