// Replacements for what jsdom lacks: a canvas, media queries, and layout.

/** The calls of canvases' contexts, such as "fillText". */
export const drawn: string[] = []

const context = (canvas: HTMLCanvasElement): unknown =>
  new Proxy<Record<string | symbol, unknown>>({ canvas, measureText: (text: string) => ({ width: 6 * text.length }) }, {
    get: (held, name) =>
      name in held
        ? held[name]
        : () => {
            drawn.push(String(name))
          },
    set: (held, name, value) => {
      held[name] = value
      return true
    },
  })
HTMLCanvasElement.prototype.getContext = function (this: HTMLCanvasElement) {
  return context(this)
} as HTMLCanvasElement['getContext']
globalThis.Path2D = function () {
  return new Proxy({}, { get: () => () => undefined })
} as unknown as typeof Path2D
globalThis.matchMedia = (() => ({ matches: false, addEventListener: () => undefined, removeEventListener: () => undefined })) as unknown as typeof matchMedia
Object.defineProperties(HTMLElement.prototype, { clientWidth: { value: 800 }, clientHeight: { value: 300 } })

class Observer {
  observe(): void {}
  unobserve(): void {}
  disconnect(): void {}
}
globalThis.ResizeObserver = Observer
globalThis.IntersectionObserver = Observer as unknown as typeof IntersectionObserver
