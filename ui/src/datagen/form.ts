// What a form for files of rows asks for, as it is sent.

import type { Problem } from '../api/types.ts'
import type { Wanted } from './api.ts'

/** What is typed and chosen. */
export interface Form {
  /** '' is none: rows are the same for all databases, and nothing is written that loads them. */
  database: string
  workload: string
  folder: string
  overwrite: boolean
  /** By the options' own names. */
  values: Record<string, string>
}

/** What of the options is said of the files; others say which rows they have. */
const ofFiles: Record<string, 'text' | 'number' | 'bool'> = { format: 'text', compress: 'text', header: 'bool', workers: 'number', parts: 'number' }

/** A form as the API takes it. */
export function wantedOf(form: Form): Wanted {
  const settings: Record<string, string> = { workload: form.workload, ...(form.database === '' ? {} : { db: form.database }) }
  const wanted: Wanted = { settings, folder: form.folder.trim(), ...(form.overwrite ? { overwrite: true } : {}) }
  for (const [name, value] of Object.entries(form.values)) {
    switch (ofFiles[name]) {
      case undefined:
        settings[name] = value
        break
      case 'number':
        wanted[name] = /^-?\d+$/.test(value.trim()) ? Number(value) : value
        break
      case 'bool':
        wanted[name] = value === 'true'
        break
      default:
        wanted[name] = value
    }
  }
  return wanted
}

/** What is wrong, by the names of fields; "" is of none of them. */
export function wrongIn(problem: Problem): Record<string, string> {
  const found: Record<string, string> = {}
  for (const { where, message } of problem.mistakes ?? []) found[where.replace(/^body\.(settings\.)?/, '')] ??= message
  if (Object.keys(found).length === 0) found[problem.option ?? ''] = problem.detail
  return found
}
