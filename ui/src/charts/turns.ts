// Charts take turns: at most one is drawn in a frame, so that no frame is long however many charts a page has.

/** The charts that wait, in the order in which they asked. */
const waiting = new Set<() => void>()
/** Whether a frame is requested. */
let requested = false

/** Calls draw in one of the next frames. If it waits already, it keeps its place. */
export function inTurn(draw: () => void): void {
  waiting.add(draw)
  if (requested) return
  requested = true
  // The next frame shows the rest of the page, which the same message or click changed.
  requestAnimationFrame(() => requestAnimationFrame(next))
}

/** Calls draw no more. */
export function leaveOut(draw: () => void): void {
  waiting.delete(draw)
}

function next(): void {
  const [draw] = waiting
  requested = draw !== undefined
  if (draw === undefined) return
  waiting.delete(draw)
  requestAnimationFrame(next)
  draw()
}
