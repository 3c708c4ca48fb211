// What scripts are called, and how a new one begins.

import type { Language } from './api.ts'

/** The languages, by what people call them. */
export const languages: Record<Language, string> = { tcl: 'Tcl', python: 'Python', driver: 'Driver script' }

/** What the name of a script ends in. */
export function endingOf(language: Language): string {
  return { tcl: '.tcl', python: '.py', driver: '.driver.tcl' }[language]
}

/** The address of a script. */
export function toScript(name: string): string {
  return `#/scripts/${encodeURIComponent(name)}`
}

/** The address of a console that is open. */
export function toConsole(id: string): string {
  return `#/console/${encodeURIComponent(id)}`
}

/** How a new script begins: a run, and its result. */
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

/** Takes a line of arguments apart as a shell does: at blanks, but for those inside quotes. */
export function argumentsOf(line: string): string[] {
  return [...line.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map((match) => match[1] ?? match[2] ?? match[3] ?? '')
}
