// How something is asked of the API. What can be asked stands beside it, by what it is about.

import type { Problem } from './types.ts'

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

/** What is said of something that went wrong. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** The address of something of the API, wherever a proxy has put the pages. */
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

/** What was asked for before the page was there that needs it, by path. */
const early = new Map<string, Promise<Answer>>()

/** For how long an early answer is good, in milliseconds: somebody may come to the same page again. */
const earlyFor = 3000

/** Asks for a document that somebody will get in a moment. */
export function ahead(path: string): void {
  const answer = request('GET', path, undefined)
  early.set(path, answer)
  const forget = (): void => {
    if (early.get(path) === answer) early.delete(path)
  }
  answer.then(() => setTimeout(forget, earlyFor), forget) // who gets it then asks once more, and hears what is wrong
}

/** Asks for something, unless that is on the way already, and waits for the answer. */
async function answerTo(method: Method, path: string, body: unknown, signal?: AbortSignal): Promise<Answer> {
  const onTheWay = method === 'GET' ? early.get(path) : undefined
  if (onTheWay === undefined) return request(method, path, body, signal)
  early.delete(path)
  const answer = await onTheWay
  signal?.throwIfAborted()
  return answer
}

/** Asks for something and waits for the answer, whatever its shape. It fails with an APIError, or with signal's reason. */
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

/** Sends something by a method, and returns the answer: of the shape that the description of the API gives it. */
export async function send<T>(method: Method, path: string, body?: unknown, signal?: AbortSignal): Promise<T> {
  return (await answerTo(method, path, body, signal)).body as T
}

/** Asks for a document of a shape and waits for it. */
export async function get<T extends { schema: string }>(path: string, schema: string, signal?: AbortSignal): Promise<T> {
  const { status, body } = await answerTo('GET', path, undefined, signal)
  const named = (body as { schema?: unknown } | null | undefined)?.schema
  if (named !== schema) {
    const got = typeof named === 'string' ? `a document of the shape ${named}` : 'no document'
    throw new APIError(`Sledge sent ${got}, but this page reads ${schema}`, status, 'Reload the page: Sledge may have been updated.')
  }
  return body as T
}
