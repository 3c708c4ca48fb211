// Which page an address is of. Pages are told apart by what stands behind the #, so that
// they work below any path of a proxy and the server has one file to serve.

/** A page and what of it is shown. */
export type Route = { page: 'jobs'; query: URLSearchParams } | { page: 'job'; id: string } | { page: 'missing'; path: string }

/** The page of a location's hash: "#/jobs?status=failed", "#/jobs/6B03921C". */
export function routeOf(hash: string): Route {
  const text = hash.replace(/^#/, '')
  const mark = text.indexOf('?')
  const path = mark < 0 ? text : text.slice(0, mark)
  const query = new URLSearchParams(mark < 0 ? '' : text.slice(mark + 1))
  const parts = path.split('/').filter((part) => part !== '')
  if (parts.length === 0 || (parts.length === 1 && parts[0] === 'jobs')) return { page: 'jobs', query }
  if (parts.length === 2 && parts[0] === 'jobs' && parts[1] !== undefined) {
    try {
      return { page: 'job', id: decodeURIComponent(parts[1]) }
    } catch {
      return { page: 'missing', path } // a % that nothing follows
    }
  }
  return { page: 'missing', path }
}

/** The address of the list of jobs, with its filters. */
export function toJobs(filters: Record<string, string> = {}): string {
  const query = new URLSearchParams(Object.entries(filters).filter(([, value]) => value !== ''))
  return query.size === 0 ? '#/jobs' : `#/jobs?${query.toString()}`
}

/** The address of a job. */
export function toJob(id: string): string {
  return `#/jobs/${encodeURIComponent(id)}`
}

/** An entry of the navigation. */
export interface Place {
  name: string
  to: string
  pages: Route['page'][]
}

/** The navigation: a page stands in it once it is there. */
export const places: Place[] = [{ name: 'Jobs', to: toJobs(), pages: ['jobs', 'job'] }]
