// Requests about transaction counters.

import { address, send } from '../api/client.ts'
import type { Counter, Documents } from '../api/types.ts'

const at = (id: string): string => `counters/${encodeURIComponent(id)}`

/** Starts a counter, and waits for its first reading. */
export const start = (count: Documents['api.Count']): Promise<Counter> => send('POST', 'counters', count)
export const stop = (id: string): Promise<Counter> => send('POST', `${at(id)}/stop`)
export const counter = (id: string): Promise<Counter> => send('GET', at(id))
export const counters = async (signal?: AbortSignal): Promise<Counter[]> =>
  (await send<Documents['api.Counters']>('GET', 'counters', undefined, signal)).counters

/** The address of a counter's stream after the message with an id. */
export const eventsAddress = (id: string, after: string): string => address(`${at(id)}/events${after === '' ? '' : `?after=${encodeURIComponent(after)}`}`)
