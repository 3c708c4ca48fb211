// The API as the pages see it. Addresses stand here and nowhere else.

import type { Documents, Entry, Job, Jobs, LiveUsers, Option, Problem } from './types.ts'

/** What the API, or the way to it, answered in place of a document. */
export class APIError extends Error {
  constructor(
    message: string,
    /** The HTTP status; 0 where no answer came. */
    readonly status: number,
    readonly wayOut?: string,
    /** What the API said, where it did: which settings are wrong. */
    readonly problem?: Problem,
  ) {
    super(message)
    this.name = 'APIError'
  }
}

/** The address of something of the API, wherever a proxy has put the pages. */
export function address(path: string, page: string = document.baseURI): string {
  return new URL(`api/v1/${path}`, page).href
}

function isProblem(document: unknown): document is Problem {
  return typeof document === 'object' && document !== null && 'detail' in document && typeof document.detail === 'string'
}

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** Asks for something and waits for the answer, whatever its shape. It fails with an APIError, or with signal's reason. */
async function request(method: Method, path: string, body: unknown, signal?: AbortSignal): Promise<{ status: number; body: unknown }> {
  let response: Response
  try {
    response = await fetch(address(path), {
      method,
      headers: { Accept: 'application/json', ...(body === undefined ? {} : { 'Content-Type': 'application/json' }) },
      credentials: 'same-origin',
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(signal ? { signal } : {}),
    })
  } catch (error) {
    signal?.throwIfAborted()
    throw new APIError('Sledge does not answer. Is sledge web still running?', 0, error instanceof Error ? error.message : undefined)
  }
  const text = await response.text()
  let answer: unknown
  try {
    answer = JSON.parse(text)
  } catch {
    answer = undefined
  }
  if (!response.ok) {
    if (isProblem(answer)) throw new APIError(answer.detail, response.status, undefined, answer)
    throw new APIError(`Sledge answered ${response.status} ${response.statusText}`.trim(), response.status)
  }
  return { status: response.status, body: answer }
}

/** Sends something by a method, and returns the answer: of the shape that the description of the API gives it. */
export async function send<T>(method: Method, path: string, body?: unknown, signal?: AbortSignal): Promise<T> {
  return (await request(method, path, body, signal)).body as T
}

/** Asks for a document of a shape and waits for it. */
export async function get<T extends { schema: string }>(path: string, schema: string, signal?: AbortSignal): Promise<T> {
  const { status, body } = await request('GET', path, undefined, signal)
  const named = (body as { schema?: unknown } | null | undefined)?.schema
  if (named !== schema) {
    const got = typeof named === 'string' ? `a document of the shape ${named}` : 'no document'
    throw new APIError(`Sledge sent ${got}, and these pages read ${schema}`, status, 'Load the page again: the program may have been replaced.')
  }
  return body as T
}

/** Where how a job stands is told, for who has read up to an id. */
export function liveAddress(id: string, after: string): string {
  return address(`jobs/${encodeURIComponent(id)}/live${after === '' ? '' : `?after=${encodeURIComponent(after)}`}`)
}

/** Ends a job before it would. */
export function endJob(id: string, by: 'stop' | 'abort'): Promise<Job> {
  return send('POST', `jobs/${encodeURIComponent(id)}/${by}`)
}

/** Some of the virtual users of a job that goes on. */
export function users(id: string, ask: { state: string; text: string; from: number; limit: number }, signal?: AbortSignal): Promise<LiveUsers> {
  const query = new URLSearchParams({ from: String(ask.from), limit: String(ask.limit) })
  if (ask.state !== '') query.set('state', ask.state)
  if (ask.text !== '') query.set('text', ask.text)
  return send('GET', `jobs/${encodeURIComponent(id)}/users?${query.toString()}`, undefined, signal)
}

/** The jobs that go on. */
export async function runningJobs(signal?: AbortSignal): Promise<Job[]> {
  return (await get<Jobs>('jobs?status=running&limit=100', 'sledge-jobs-1', signal)).jobs
}

/** The databases that there are. */
export async function databases(signal?: AbortSignal): Promise<Entry[]> {
  return (await send<Documents['api.Databases']>('GET', 'databases', undefined, signal)).databases
}

/** The workloads that there are. */
export async function workloads(signal?: AbortSignal): Promise<Entry[]> {
  return (await send<Documents['api.Workloads']>('GET', 'workloads', undefined, signal)).workloads
}

/** The options of a database and a workload. */
export async function options(database: string, workload: string, signal?: AbortSignal): Promise<Option[]> {
  const query = new URLSearchParams({ database, workload })
  return (await send<Documents['document.Options']>('GET', `options?${query.toString()}`, undefined, signal)).options
}

/** Starts a job. */
export function startJob(wanted: Documents['api.Start']): Promise<Job> {
  return send('POST', 'jobs', wanted)
}
