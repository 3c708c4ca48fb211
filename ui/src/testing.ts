// What jsdom lacks. ECharts measures text by a canvas, and guesses where there is none.
HTMLCanvasElement.prototype.getContext = () => null
// It lays nothing out.
Object.defineProperties(HTMLElement.prototype, { clientWidth: { value: 800 }, clientHeight: { value: 300 } })
globalThis.ResizeObserver = class {
  observe(): void {}
  unobserve(): void {}
  disconnect(): void {}
}
