// What jsdom lacks. ECharts measures text by a canvas, and guesses where there is none.
HTMLCanvasElement.prototype.getContext = () => null
