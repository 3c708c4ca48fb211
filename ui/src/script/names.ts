// The names of scripts.

import type { Language } from './api.ts'

/** The names of the languages. */
export const languages: Record<Language, string> = { tcl: 'Tcl', python: 'Python', driver: 'Driver script' }

/** The endings of scripts' names. */
export function endingOf(language: Language): string {
  return { tcl: '.tcl', python: '.py', driver: '.driver.tcl' }[language]
}

/** The address of a script. */
export function toScript(name: string): string {
  return `#/scripts/${encodeURIComponent(name)}`
}

/** The address of an open console. */
export function toConsole(id: string): string {
  return `#/console/${encodeURIComponent(id)}`
}

/** Splits a line of arguments at spaces outside of quotes, as a shell does. */
export function argumentsOf(line: string): string[] {
  return [...line.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map((match) => match[1] ?? match[2] ?? match[3] ?? '')
}
