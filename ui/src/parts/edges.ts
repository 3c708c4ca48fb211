// Finds the edges at which a scrolling box hides content.

/** The tolerance in pixels, because sizes are rounded. */
const rounding = 1

/** The edges at which a box hides content: "right", "below", both or none. */
export function edgesOf(box: Pick<HTMLElement, 'scrollLeft' | 'scrollTop' | 'scrollWidth' | 'scrollHeight' | 'clientWidth' | 'clientHeight'>): string {
  const right = box.scrollWidth - box.clientWidth - box.scrollLeft > rounding
  const below = box.scrollHeight - box.clientHeight - box.scrollTop > rounding
  return [right ? 'right' : '', below ? 'below' : ''].filter((edge) => edge !== '').join(' ')
}

/** A Svelte attachment that marks these edges of a scrolling box, so that app.css fades them. */
export function edges(box: HTMLElement): () => void {
  const note = (): void => {
    const now = edgesOf(box)
    if (box.dataset['more'] !== now) box.dataset['more'] = now
  }
  // The contents grow, for example when rows arrive.
  const sizes = new ResizeObserver(note)
  const watch = (): void => {
    sizes.disconnect()
    for (const element of [box, ...box.children]) sizes.observe(element)
  }
  const children = new MutationObserver((changes) => {
    if (changes.some(({ target }) => target === box)) watch()
    note()
  })
  children.observe(box, { childList: true, characterData: true, subtree: true })
  box.addEventListener('scroll', note, { passive: true })
  watch()
  note()
  return () => {
    sizes.disconnect()
    children.disconnect()
    box.removeEventListener('scroll', note)
  }
}
