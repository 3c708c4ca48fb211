// The names of scripts, and the text of a new one.

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

/** The text of a new script: a run, and its result. */
export function beginning(language: 'tcl' | 'python', database: string, workload: string): string {
  if (language === 'python') {
    return `# A run and its result. Ctrl-Space shows what may be typed, Ctrl-Enter runs.
dbset('db', '${database}')
dbset('bm', '${workload}')
vuset('vu', 4)
job = vurun().split('=')[-1]
vudestroy()
jobs(job, 'result')
`
  }
  return `# A run and its result. Ctrl-Space shows what may be typed, Ctrl-Enter runs.
dbset db ${database}
dbset bm ${workload}
vuset vu 4
set job [lindex [split [vurun] =] 1]
vudestroy
jobs $job result
`
}

/** Splits a line of arguments at spaces outside of quotes, as a shell does. */
export function argumentsOf(line: string): string[] {
  return [...line.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map((match) => match[1] ?? match[2] ?? match[3] ?? '')
}
