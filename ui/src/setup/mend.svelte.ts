// The field that an error asks the user to change. Any page can name it; Set up moves the focus there.

class Mend {
  /** The option whose field gets the focus, a new object for each request; its name is '' for the server's address. */
  wanted = $state.raw<{ readonly option: string }>()

  /** Opens Set up with the focus in the field of an option, by any of the option's names. */
  show(option: string): void {
    this.wanted = { option }
    location.hash = '#/setup'
  }

  /** Ends the request, after the field got the focus. */
  done(): void {
    this.wanted = undefined
  }
}

export const mend = new Mend()
