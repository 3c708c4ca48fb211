// The form for generated files, and its request.

import type { Problem } from '../api/types.ts'
import type { Wanted } from './api.ts'

/** The values of the form. */
export interface Form {
  /** '' for no database: rows are the same for all databases, but no scripts are written. */
  database: string
  workload: string
  folder: string
  overwrite: boolean
  /** By the names of options. */
  values: Record<string, string>
}

/** The options about the files; the others determine the rows. */
const ofFiles: Record<string, 'text' | 'number' | 'bool'> = { format: 'text', compress: 'text', header: 'bool', workers: 'number', parts: 'number' }

/** The request of a form. */
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

/** The mistakes by field; "" for those that belong to no field. */
export function wrongIn(problem: Problem): Record<string, string> {
  const found: Record<string, string> = {}
  for (const { where, message } of problem.mistakes ?? []) found[where.replace(/^body\.(settings\.)?/, '')] ??= message
  if (Object.keys(found).length === 0) found[problem.option ?? ''] = problem.detail
  return found
}
