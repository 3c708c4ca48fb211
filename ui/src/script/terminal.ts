// A terminal in the page. It is loaded when a console is opened.

import { FitAddon } from '@xterm/addon-fit'
import { Terminal, type ITheme } from '@xterm/xterm'
import '@xterm/xterm/css/xterm.css'

/**
 * The document as xterm.js is to see it: style elements and attributes, which the
 * Content-Security-Policy forbids, become style sheets and properties, which it allows.
 */
export function strict(real: Document): Document {
  const create = (name: string, options?: ElementCreationOptions): HTMLElement => {
    if (name === 'style') return standIn(real)
    const element = real.createElement(name, options)
    if (name === 'span') {
      element.setAttribute = (attribute: string, value: string) => {
        if (attribute === 'style') element.style.cssText = value
        else Element.prototype.setAttribute.call(element, attribute, value)
      }
    }
    return element
  }
  return new Proxy(real, {
    get: (target, key) => {
      if (key === 'createElement') return create
      const value: unknown = Reflect.get(target, key, target)
      return typeof value === 'function' ? (value.bind(target) as unknown) : value
    },
  })
}

/** An element whose text is a style sheet of the document for as long as it is there. */
function standIn(real: Document): HTMLElement {
  const sheet = new CSSStyleSheet()
  real.adoptedStyleSheets = [...real.adoptedStyleSheets, sheet]
  const element = real.createElement('span')
  element.hidden = true
  Object.defineProperties(element, {
    textContent: { get: () => '', set: (text: string) => sheet.replaceSync(text) },
    remove: {
      value: () => {
        real.adoptedStyleSheets = real.adoptedStyleSheets.filter((other) => other !== sheet)
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

/** Makes a terminal in an element, which it fills. */
export function screen(host: HTMLElement, isDark: boolean, typed: (text: string) => void, resized: (columns: number, rows: number) => void): Screen {
  const terminal = new Terminal({
    documentOverride: strict(document),
    theme: isDark ? dark : light,
    fontFamily: 'ui-monospace, monospace',
    fontSize: 14,
    minimumContrastRatio: 4.5,
    scrollback: 5000,
    cursorBlink: false,
    screenReaderMode: true,
  })
  const fit = new FitAddon()
  terminal.loadAddon(fit)
  terminal.open(host)
  // Tab completes, so there must be another way out for who uses the keyboard alone.
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
    },
  }
}
