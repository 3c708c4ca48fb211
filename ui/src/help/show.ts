// Shows a page of the manual in the document.

import { edges } from '../parts/edges.ts'
import { codeOf } from '../parts/pieces.ts'

/**
 * Shows a page in an element. The program makes its markup from the manual, without scripts, styles and raw
 * markup. It returns a function that stops watching the boxes that scroll.
 */
export function show(html: string, into: HTMLElement): () => void {
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
  for (const [i, code] of into.querySelectorAll('pre').entries()) {
    code.tabIndex = 0
    code.setAttribute('role', 'group')
    code.setAttribute('aria-label', `Example ${i + 1}`)
  }
  for (const code of into.querySelectorAll(':not(pre) > code')) {
    code.replaceChildren(
      ...codeOf(code.textContent).map(({ text, whole }) => {
        if (!whole) return document.createTextNode(text)
        const span = document.createElement('span')
        span.className = 'unbroken'
        span.textContent = text
        return span
      }),
    )
  }
  const watched = [...into.querySelectorAll<HTMLElement>('.scroll, pre')].map(edges)
  return () => {
    for (const end of watched) end()
  }
}

/** Scrolls to a heading and focuses it. */
export function goTo(id: string, within: HTMLElement): void {
  const heading = within.querySelector<HTMLElement>(`#${CSS.escape(id)}`)
  if (heading === null) return
  heading.tabIndex = -1
  heading.scrollIntoView()
  heading.focus({ preventScroll: true })
}
