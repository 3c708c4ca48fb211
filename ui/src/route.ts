// Maps addresses to pages. The part after # selects the page, so that pages work below any path of a proxy and the
// server serves one file.

/** The parameters of a page's address. */
export interface Place {
  /** The parameters in the path, such as the id of jobs/:id. */
  params: Record<string, string>
  query: URLSearchParams
}

/** The path and the query of a location's hash: "#/jobs?status=failed". */
export function partsOf(hash: string): { path: string; query: URLSearchParams } {
  const text = hash.replace(/^#/, '')
  const mark = text.indexOf('?')
  const path = (mark < 0 ? text : text.slice(0, mark)).split('/').filter((part) => part !== '')
  return { path: path.join('/'), query: new URLSearchParams(mark < 0 ? '' : text.slice(mark + 1)) }
}

/** The parameters of a path by a pattern such as "jobs/:id"; undefined if the path does not match. */
export function paramsOf(path: string, pattern: string): Record<string, string> | undefined {
  const given = path.split('/')
  const wanted = pattern.split('/')
  if (given.length !== wanted.length) return undefined
  const params: Record<string, string> = {}
  for (const [i, part] of wanted.entries()) {
    const value = given[i] ?? ''
    if (!part.startsWith(':')) {
      if (value !== part) return undefined
      continue
    }
    try {
      params[part.slice(1)] = decodeURIComponent(value)
    } catch {
      return undefined // an incomplete % escape
    }
  }
  return params
}

/** The address of the list of jobs, with its filters. */
export function toJobs(filters: Record<string, string> = {}): string {
  const query = new URLSearchParams(Object.entries(filters).filter(([, value]) => value !== ''))
  return query.size === 0 ? '#/jobs' : `#/jobs?${query.toString()}`
}

/** The address of a job, running or ended, with a tab and a part of its time; empty values are left out. */
export function toJob(id: string, at: Record<string, string> = {}): string {
  const query = new URLSearchParams(Object.entries(at).filter(([, value]) => value !== '')).toString()
  return `#/jobs/${encodeURIComponent(id)}${query === '' ? '' : `?${query}`}`
}

/** The address that a location's hash has today. Running jobs had a page of their own once. */
export function today(hash: string): string {
  return hash.replace(/^#\/run\//, '#/jobs/')
}

/** The address of a transaction counter. */
export function toCounter(id: string): string {
  return `#/counter/${encodeURIComponent(id)}`
}

/** The address of a comparison of runs. */
export function toComparison(ids: string[]): string {
  return `#/jobs/compare?${new URLSearchParams({ ids: ids.join(',') }).toString()}`
}

/** The address of a board, with what is done with it. */
export function toBoard(id: number | string, at: Record<string, string> = {}): string {
  const query = new URLSearchParams(at).toString()
  return `#/boards/${encodeURIComponent(id)}${query === '' ? '' : `?${query}`}`
}

/** The address of an experiment, or of the list of experiments. */
export function toExperiment(name?: string): string {
  return name === undefined ? '#/experiments' : `#/experiments/${encodeURIComponent(name)}`
}

/** The address of the history of runs, which are named as for sledge history, and of one of their figures. */
export function toHistory(name: string, figure = ''): string {
  return `#/history?${new URLSearchParams({ name, ...(figure === '' ? {} : { figure }) }).toString()}`
}

/** The address of a performance profile, or of the list of profiles. */
export function toProfile(number?: number): string {
  return number === undefined ? '#/profiles' : `#/profiles/${number}`
}

/** The address of a comparison of performance profiles. */
export function toProfiles(numbers: number[]): string {
  return `#/profiles/compare?${new URLSearchParams({ numbers: numbers.join(',') }).toString()}`
}

/** The values of a list in an address, "a,b"; empty ones are left out. */
export function listOf(query: URLSearchParams, name: string): string[] {
  return (query.get(name) ?? '').split(',').filter((value) => value !== '')
}

/** The address of a page of the manual, at a heading if there is one. */
export function toHelp(name: string, at = ''): string {
  return `#/help/${encodeURIComponent(name)}${at === '' ? '' : `?${new URLSearchParams({ at }).toString()}`}`
}
