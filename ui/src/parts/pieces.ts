// Decides where a long value wraps.

/** A piece of a text, and whether it must not wrap. */
export interface Piece {
  text: string
  whole: boolean
}

/** The pieces of a value: dates, and other text, which may wrap after each slash of a path. */
export function piecesOf(text: string): Piece[] {
  return text
    .split(/(\b\d{4}-\d{2}-\d{2}\b|(?<=[^/:]\/)(?=[^/]))/)
    .filter((piece) => piece !== undefined && piece !== '')
    .map((piece) => ({ text: piece, whole: /^\d{4}-\d{2}-\d{2}$/.test(piece) }))
}

/** The number of characters up to which code stays in one line, and those of a word in it. */
const short = 16
const word = 30

/** The pieces of code in a sentence. A flag does not wrap at hyphens, because it would be misread. */
export function codeOf(code: string): Piece[] {
  const texts = code.length <= short ? [code] : code.split(/(\s+)/).filter((text) => text !== '')
  return texts.map((text) => ({ text, whole: text.length <= (texts.length === 1 ? short : word) && text.trim() !== '' }))
}
