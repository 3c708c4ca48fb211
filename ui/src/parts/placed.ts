import type { Attachment } from 'svelte/attachments'

/**
 * Sets styles that only a script knows through properties, because the Content-Security-Policy forbids style
 * attributes.
 */
export function placed(styles: Partial<Record<'height' | 'top' | 'left' | 'right' | 'gridTemplateColumns' | 'flexGrow', string>>): Attachment<HTMLElement> {
  return (element) => void Object.assign(element.style, styles)
}
