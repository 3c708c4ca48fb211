// Where a box that scrolls has more than it shows.

/** How much of a pixel is no more: sizes are rounded. */
const rounding = 1

/** Which edges of a box something is cut off at: "right", "below", both or none of them. */
export function edgesOf(box: Pick<HTMLElement, 'scrollLeft' | 'scrollTop' | 'scrollWidth' | 'scrollHeight' | 'clientWidth' | 'clientHeight'>): string {
  const right = box.scrollWidth - box.clientWidth - box.scrollLeft > rounding
  const below = box.scrollHeight - box.clientHeight - box.scrollTop > rounding
  return [right ? 'right' : '', below ? 'below' : ''].filter((edge) => edge !== '').join(' ')
}

/** Notes at a box that scrolls where it has more, for app.css to let that edge fade. It is an attachment of Svelte's. */
export function edges(box: HTMLElement): () => void {
  const note = (): void => {
    const now = edgesOf(box)
    if (box.dataset['more'] !== now) box.dataset['more'] = now
  }
  // What is in the box grows by itself, as when rows come.
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
