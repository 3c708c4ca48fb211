// How a page of the manual comes into the document.

/**
 * Shows a page in an element. Its markup is made by the program from its own manual, without
 * scripts, styles and raw markup.
 */
export function show(html: string, into: HTMLElement): void {
  into.replaceChildren(...new DOMParser().parseFromString(html, 'text/html').body.childNodes)
  for (const [i, table] of into.querySelectorAll('table').entries()) {
    const box = document.createElement('div')
    box.className = 'scroll'
    box.tabIndex = 0
    box.setAttribute('role', 'region')
    box.setAttribute('aria-label', `Table ${i + 1}`)
    table.replaceWith(box)
    box.append(table)
  }
  for (const code of into.querySelectorAll('pre')) code.tabIndex = 0
}

/** Goes to a heading, for the eyes and for the keyboard. */
export function goTo(id: string, within: HTMLElement): void {
  const heading = within.querySelector<HTMLElement>(`#${CSS.escape(id)}`)
  if (heading === null) return
  heading.tabIndex = -1
  heading.scrollIntoView()
  heading.focus({ preventScroll: true })
}
