// Where a value is broken that is too long for a line.

/** A piece of a text, and whether it stays in one line. */
export interface Piece {
  text: string
  whole: boolean
}

/** The pieces of a value: dates, and the rest, which may be broken behind each slash of a path. */
export function piecesOf(text: string): Piece[] {
  return text
    .split(/(\b\d{4}-\d{2}-\d{2}\b|(?<=[^/:]\/)(?=[^/]))/)
    .filter((piece) => piece !== undefined && piece !== '')
    .map((piece) => ({ text: piece, whole: /^\d{4}-\d{2}-\d{2}$/.test(piece) }))
}

/** How many characters of code stand in one line wherever there is room for them, and how many of a word in it. */
const short = 16
const word = 30

/** The pieces of code in a sentence: a flag that is broken at its hyphens is misread. */
export function codeOf(code: string): Piece[] {
  const texts = code.length <= short ? [code] : code.split(/(\s+)/).filter((text) => text !== '')
  return texts.map((text) => ({ text, whole: text.length <= (texts.length === 1 ? short : word) && text.trim() !== '' }))
}
