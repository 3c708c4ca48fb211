// Requests about scripts and consoles.

import { address, send } from '../api/client.ts'
import { Follower } from '../api/follow.ts'
import type { Documents } from '../api/types.ts'

export type Scripts = Documents['api.Scripts']
export type Text = Documents['scripting.Text']
export type Execution = Documents['scripting.Report']
export type Piece = Documents['scripting.Piece']
export type Words = Documents['console.Words']
export type Language = Execution['language']

const of = (name: string): string => `scripts/${encodeURIComponent(name)}`
const at = (id: string): string => `executions/${encodeURIComponent(id)}`

export const scripts = (signal?: AbortSignal): Promise<Scripts> => send('GET', 'scripts', undefined, signal)
export const script = (name: string, signal?: AbortSignal): Promise<Text> => send('GET', of(name), undefined, signal)
/** Saves a script over the version that was read; without a version the script is new. */
export const write = (name: string, text: string, version?: string): Promise<Text> => send('PUT', of(name), { text, ...(version === undefined ? {} : { version }) })
export const remove = (name: string): Promise<void> => send('DELETE', of(name))
export const run = (name: string, given: string[]): Promise<Execution> => send('POST', `${of(name)}/run`, { arguments: given })
export const executions = async (signal?: AbortSignal): Promise<Execution[]> =>
  (await send<Documents['api.Executions']>('GET', 'executions', undefined, signal)).executions ?? []
export const stop = (id: string): Promise<Execution> => send('POST', `${at(id)}/stop`, {})
export const open = (language: 'tcl' | 'python', columns: number, rows: number): Promise<Execution> => send('POST', 'executions', { language, columns, rows })
export const type = (id: string, text: string): Promise<void> => send('POST', `${at(id)}/input`, { text })
export const resize = (id: string, columns: number, rows: number): Promise<void> => send('POST', `${at(id)}/size`, { columns, rows })
export const words = (signal?: AbortSignal): Promise<Words> => send('GET', 'console/words', undefined, signal)
export const draft = async (database: string, workload: string): Promise<string> =>
  (await send<{ text: string }>('GET', `console/driver?${new URLSearchParams({ database, workload }).toString()}`)).text

/** Receives the output of an execution. */
export interface Reader {
  piece: (piece: Piece) => void
  over: (execution: Execution) => void
  /** Receives whether the stream is connected. */
  connected: (is: boolean) => void
  /** Called when the server does not know the execution any more, or refuses it. */
  gone: () => void
}

/**
 * Follows the output of an execution from its beginning, and continues where it was after a lost connection. It
 * returns a function that ends it.
 */
export function follow(id: string, reader: Reader): () => void {
  const follower = new Follower(
    (after) => address(`${at(id)}/output${after === '' ? '' : `?after=${encodeURIComponent(after)}`}`),
    {
      message: (data) => reader.piece(JSON.parse(data) as Piece),
      over: (data) => reader.over(JSON.parse(data) as Execution),
      connection: ({ state }) => {
        if (state === 'open') reader.connected(true)
        if (state === 'lost' || state === 'refused') reader.connected(false)
        if (state === 'refused') reader.gone()
      },
    },
    () => send('GET', at(id)),
    { silence: Infinity }, // an execution that waits at a prompt prints nothing
  )
  return () => follower.close()
}
