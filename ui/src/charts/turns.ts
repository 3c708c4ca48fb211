// Charts take turns: at most one is drawn in a frame, so that no frame is long however many charts a page has.

/** The charts that wait, in the order in which they asked. */
const waiting = new Set<() => void>()
/** Whether the next frame is requested. */
let requested = false

/** Calls draw in one of the next frames. If it waits already, it keeps its place. */
export function inTurn(draw: () => void): void {
  waiting.add(draw)
  request()
}

/** Calls draw no more. */
export function leaveOut(draw: () => void): void {
  waiting.delete(draw)
}

function request(): void {
  if (requested || waiting.size === 0) return
  requested = true
  requestAnimationFrame(() => {
    requested = false
    const [draw] = waiting
    if (draw === undefined) return
    waiting.delete(draw)
    request()
    draw()
  })
}
