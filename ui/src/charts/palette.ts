// Colours that colour-blind people can distinguish too: the hues of Masataka Okabe and
// Kei Ito, "Color Universal Design: How to make figures and presentations that are friendly to
// colorblind people", 2002, revised 2008. Black is left out. Their lightness is chosen so that
// each has a contrast of at least 3 with its background (WCAG 2.2, 1.4.11), and so that dichromats can
// distinguish them. An index has the same hue on light and on dark pages.

const light = ['#0068b0', '#c45000', '#009e73', '#9c2f75', '#4482a9', '#6a4c1d', '#9c9337']
const dark = ['#3f93dd', '#e8702f', '#4fe0b5', '#c9609c', '#9fd8fa', '#dfa52e', '#f5ee70']

/** Greys for the network, other programs and other waits: a contrast of 3 with the background and of 2 with each other. */
const greys: Record<string, { light: string; dark: string }> = {
  'wait network': { light: '#8a93a0', dark: '#7d8898' },
  'wait other': { light: '#4b5463', dark: '#c3cad4' },
  'no transaction': { light: '#8a93a0', dark: '#7d8898' },
  'other programs': { light: '#4b5463', dark: '#c3cad4' },
}

/** Names that have the same colour in every chart. */
const places: Record<string, number> = {
  server: 0,
  client: 1,
  p50: 2,
  p95: 0,
  p99: 1,
  max: 3,
  failed: 1,
  sent: 0,
  received: 1,
  'wait cpu': 2,
  'wait lock': 1,
  'wait log': 3,
  'wait commit': 6,
  'wait read': 0,
  'wait write': 4,
  'wait latch': 5,
}

/** Shades of one colour from few to many, which differ in lightness. */
export function shadesOf(isDark: boolean): string[] {
  return isDark ? ['#1f4260', '#2b5f89', '#3c80b3', '#5ea6d6', '#96cbf0', '#dcefff'] : ['#d3e4f3', '#a6c9e5', '#6ea7d3', '#3b80b9', '#185b95', '#06335b']
}

/** The colours of a chart's other parts. */
export interface Surface {
  text: string
  muted: string
  line: string
  grid: string
  background: string
  /** The background of times that are not measured. */
  shade: string
  /** The accent of app.css, for users' notes. */
  accent: string
}

export function surface(isDark: boolean): Surface {
  return isDark
    ? { text: '#e6e9ee', muted: '#a9b2c0', line: '#56606f', grid: '#313944', background: '#181d24', shade: '#232a34', accent: '#6cc0f0' }
    : { text: '#1a2029', muted: '#566070', line: '#9aa3b0', grid: '#e2e6ec', background: '#ffffff', shade: '#f0f2f6', accent: '#0064a0' }
}

/** The colour of a name, the same in each chart. */
export function colour(name: string, isDark: boolean): string {
  const grey = Object.hasOwn(greys, name) ? greys[name] : undefined
  if (grey !== undefined) return isDark ? grey.dark : grey.light
  const colours = isDark ? dark : light
  return at(colours, places[name] ?? ordinal(name))
}

/**
 * The colour index of a name that is not in the list: the number at its end, so that "query 1" and "query 2"
 * differ, or a sum of its letters.
 */
function ordinal(name: string): number {
  const last = /(\d+)$/.exec(name)?.[1]
  if (last !== undefined) return Number(last) - 1
  let sum = 0
  for (const letter of name) sum = (sum * 31 + (letter.codePointAt(0) ?? 0)) % 1009
  return sum
}

function at(colours: string[], place: number): string {
  return colours[((place % colours.length) + colours.length) % colours.length] ?? '#0068b0'
}
