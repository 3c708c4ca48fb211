// Selects a part of a drawing with the mouse.

import type { Attachment } from 'svelte/attachments'

/** A shorter drag than this, in pixels, is a click. */
const shortest = 8

/** Reports drags across an element, from and to in pixels from its left edge. Touches scroll and are not reported. */
export function dragged(chosen: (from: number, until: number) => void): Attachment<HTMLElement> {
  return (element) => {
    const mark = document.createElement('div')
    mark.className = 'picked'
    mark.hidden = true
    element.append(mark)
    let begun: number | undefined

    const place = (event: PointerEvent): number => {
      const { left, width } = element.getBoundingClientRect()
      return Math.min(Math.max(event.clientX - left, 0), width)
    }
    const span = (event: PointerEvent): [number, number] => {
      const at = place(event)
      return [Math.min(begun ?? at, at), Math.max(begun ?? at, at)]
    }
    const leave = (): void => {
      begun = undefined
      mark.hidden = true
    }
    const down = (event: PointerEvent): void => {
      if (event.pointerType === 'touch' || event.button !== 0) return
      begun = place(event)
      element.setPointerCapture(event.pointerId)
    }
    const move = (event: PointerEvent): void => {
      if (begun === undefined) return
      const [from, until] = span(event)
      mark.hidden = until - from < shortest
      mark.style.left = `${from}px`
      mark.style.width = `${until - from}px`
    }
    const up = (event: PointerEvent): void => {
      if (begun === undefined) return
      const [from, until] = span(event)
      leave()
      if (until - from >= shortest) chosen(from, until)
    }
    element.addEventListener('pointerdown', down)
    element.addEventListener('pointermove', move)
    element.addEventListener('pointerup', up)
    element.addEventListener('pointercancel', leave)
    return () => {
      element.removeEventListener('pointerdown', down)
      element.removeEventListener('pointermove', move)
      element.removeEventListener('pointerup', up)
      element.removeEventListener('pointercancel', leave)
      mark.remove()
    }
  }
}
