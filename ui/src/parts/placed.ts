import type { Attachment } from 'svelte/attachments'

/**
 * Sets what only a script knows of how an element is placed, by its properties: the
 * Content-Security-Policy forbids style attributes.
 */
export function placed(styles: Partial<Record<'height' | 'top' | 'gridTemplateColumns' | 'flexGrow', string>>): Attachment<HTMLElement> {
  return (element) => void Object.assign(element.style, styles)
}
