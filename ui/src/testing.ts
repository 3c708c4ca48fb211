// Replacements for functions that jsdom lacks. ECharts measures text with a canvas, and estimates without one.
HTMLCanvasElement.prototype.getContext = () => null
// jsdom has no layout.
Object.defineProperties(HTMLElement.prototype, { clientWidth: { value: 800 }, clientHeight: { value: 300 } })
globalThis.ResizeObserver = class {
  observe(): void {}
  unobserve(): void {}
  disconnect(): void {}
}
