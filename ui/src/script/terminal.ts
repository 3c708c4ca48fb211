// A terminal in the page. It is loaded when a console is opened.

import { FitAddon } from '@xterm/addon-fit'
import { Terminal, type ITheme } from '@xterm/xterm'
import '@xterm/xterm/css/xterm.css'

/**
 * Adapts the styles of xterm.js to the Content-Security-Policy: style elements become style sheets, and style
 * attributes become properties. It applies to elements that are created before the returned function is called.
 */
export function allowed(page: Document): () => void {
  const create = (name: string, options?: ElementCreationOptions): HTMLElement => {
    if (name === 'style') return standIn(page)
    const element = Document.prototype.createElement.call(page, name, options)
    if (name === 'span') {
      element.setAttribute = (attribute: string, value: string) => {
        if (attribute === 'style') element.style.cssText = value
        else Element.prototype.setAttribute.call(element, attribute, value)
      }
    }
    return element
  }
  page.createElement = create as Document['createElement']
  return () => Reflect.deleteProperty(page, 'createElement') // restores the prototype's function
}

/** An element whose text is a style sheet of the document while it is connected. */
function standIn(page: Document): HTMLElement {
  const sheet = new CSSStyleSheet()
  page.adoptedStyleSheets = [...page.adoptedStyleSheets, sheet]
  const element = Document.prototype.createElement.call(page, 'span')
  element.hidden = true
  Object.defineProperties(element, {
    textContent: { get: () => '', set: (text: string) => sheet.replaceSync(text) },
    remove: {
      value: () => {
        page.adoptedStyleSheets = page.adoptedStyleSheets.filter((other) => other !== sheet)
        Element.prototype.remove.call(element)
      },
    },
  })
  return element
}

const light: ITheme = { background: '#ffffff', foreground: '#1a2029', cursor: '#1a2029', cursorAccent: '#ffffff', selectionBackground: '#b9d8ee' }
const dark: ITheme = { background: '#181d24', foreground: '#e6e9ee', cursor: '#e6e9ee', cursorAccent: '#181d24', selectionBackground: '#28506b' }

export interface Screen {
  write: (text: string) => void
  size: () => { columns: number; rows: number }
  show: (isDark: boolean) => void
  focus: () => void
  close: () => void
}

/** Creates a terminal that fills an element. */
export function screen(host: HTMLElement, isDark: boolean, typed: (text: string) => void, resized: (columns: number, rows: number) => void): Screen {
  const forbidden = allowed(document)
  const terminal = new Terminal({
    theme: isDark ? dark : light,
    fontFamily: 'ui-monospace, monospace',
    fontSize: 14,
    lineHeight: 1.15,
    minimumContrastRatio: 4.5,
    scrollback: 5000,
    cursorBlink: false,
    screenReaderMode: true,
  })
  const fit = new FitAddon()
  terminal.loadAddon(fit)
  terminal.open(host)
  // Tab completes, so keyboard users need another way to leave the terminal.
  terminal.attachCustomKeyEventHandler((event) => !(event.key === 'Tab' && event.shiftKey))
  terminal.onData(typed)
  fit.fit()
  terminal.onResize(({ cols, rows }) => resized(cols, rows))
  const watching = new ResizeObserver(() => fit.fit())
  watching.observe(host)
  return {
    write: (text) => terminal.write(text),
    size: () => ({ columns: terminal.cols, rows: terminal.rows }),
    show: (isDark) => (terminal.options.theme = isDark ? dark : light),
    focus: () => terminal.focus(),
    close: () => {
      watching.disconnect()
      terminal.dispose()
      forbidden()
    },
  }
}
