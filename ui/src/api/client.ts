// Requests to the API. The requests themselves are in the files beside this one, by subject.

import type { Problem } from './types.ts'

/** An error of the API or of the connection to it. */
export class APIError extends Error {
  constructor(
    message: string,
    /** The HTTP status; 0 without a response. */
    readonly status: number,
    readonly wayOut?: string,
    /** The API's problem, if there is one: which settings are wrong. */
    readonly problem?: Problem,
  ) {
    super(message)
    this.name = 'APIError'
  }
}

/** The message of an error. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** The address of a path of the API, below any base path of a proxy. */
export function address(path: string, page: string = document.baseURI): string {
  return new URL(`api/v1/${path}`, page).href
}

function isProblem(document: unknown): document is Problem {
  return typeof document === 'object' && document !== null && 'detail' in document && typeof document.detail === 'string'
}

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

interface Answer {
  status: number
  body: unknown
}

/** Requests that were sent before their page was loaded, by path. */
const early = new Map<string, Promise<Answer>>()

/** How long an early response is kept, in milliseconds. A later visit to the page sends a new request. */
const earlyFor = 3000

/** Requests a document that get will be called for in a moment. */
export function ahead(path: string): void {
  const answer = request('GET', path, undefined)
  early.set(path, answer)
  const forget = (): void => {
    if (early.get(path) === answer) early.delete(path)
  }
  answer.then(() => setTimeout(forget, earlyFor), forget) // get then sends the request again and reports its error
}

/** Sends a request, unless an early one is in flight, and returns the response. */
async function answerTo(method: Method, path: string, body: unknown, signal?: AbortSignal): Promise<Answer> {
  const onTheWay = method === 'GET' ? early.get(path) : undefined
  if (onTheWay === undefined) return request(method, path, body, signal)
  early.delete(path)
  const answer = await onTheWay
  signal?.throwIfAborted()
  return answer
}

/** Sends a request and returns the response. It fails with an APIError, or with signal's reason. */
async function request(method: Method, path: string, body: unknown, signal?: AbortSignal): Promise<Answer> {
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

/** Sends a request with a method and returns the response, with the type of the API's description. */
export async function send<T>(method: Method, path: string, body?: unknown, signal?: AbortSignal): Promise<T> {
  return (await answerTo(method, path, body, signal)).body as T
}

/** Requests a document of a schema. */
export async function get<T extends { schema: string }>(path: string, schema: string, signal?: AbortSignal): Promise<T> {
  const { status, body } = await answerTo('GET', path, undefined, signal)
  const named = (body as { schema?: unknown } | null | undefined)?.schema
  if (named !== schema) {
    const got = typeof named === 'string' ? `a document of the shape ${named}` : 'no document'
    throw new APIError(`Sledge sent ${got}, but this page reads ${schema}`, status, 'Reload the page: Sledge may have been updated.')
  }
  return body as T
}
