// Receivers of notices, as their form and their list show them.

import { plural } from '../format.ts'
import type { Delivery, Receiver } from './api.ts'

export type Event = Receiver['events'][number]

/** The events that a receiver can choose. */
export const events: { event: Event; name: string; means: string }[] = [
  { event: 'ended', name: 'ended', means: 'succeeded, or was stopped' },
  { event: 'failed', name: 'failed', means: 'failed, is not valid, or was killed' },
  { event: 'missed', name: 'missed a threshold', means: 'a run missed one of its thresholds' },
]

/** The usual ports of mail servers, by their encryption. */
export const ports = { starttls: 587, tls: 465, none: 25 }

/** The fields of the form. */
export interface Draft {
  name: string
  kind: 'webhook' | 'email'
  events: Event[]
  url: string
  /** A new secret; "" keeps the saved one. */
  secret: string
  host: string
  port: string
  security: 'starttls' | 'tls' | 'none'
  user: string
  password: string
  from: string
  to: string
}

/** The form of a new receiver, or of a saved one, whose secrets are not known. */
export function draftOf(kind: Draft['kind'], saved?: Receiver): Draft {
  const { webhook, email } = saved ?? {}
  return {
    name: saved?.name ?? '',
    kind,
    events: saved?.events ?? ['failed', 'missed'],
    url: '',
    secret: kind === 'webhook' && webhook === undefined ? newSecret() : '',
    host: email?.host ?? '',
    port: email?.port === undefined || email.port === ports[email.security ?? 'starttls'] ? '' : String(email.port),
    security: email?.security ?? 'starttls',
    user: email?.user ?? '',
    password: '',
    from: email?.from ?? '',
    to: (email?.to ?? []).join(', '),
  }
}

/** The receiver of a form. Links in its notices lead to the pages at an address. */
export function receiverOf(draft: Draft, pages: string): Omit<Receiver, 'name'> {
  const common = { events: draft.events, pages }
  if (draft.kind === 'webhook') {
    const url = draft.url.trim()
    return { ...common, webhook: { ...(url === '' ? {} : { url }), ...(draft.secret === '' ? {} : { secret: draft.secret }) } }
  }
  const { host, security, user, password, from } = draft
  return {
    ...common,
    email: {
      host: host.trim(),
      security,
      ...(draft.port.trim() === '' ? {} : { port: Number(draft.port) }),
      ...(user === '' ? {} : { user }),
      ...(password === '' ? {} : { password }),
      from,
      to: draft.to.split(/[,;\s]+/).filter((each) => each !== ''),
    },
  }
}

/** A new secret of a webhook, in the form of Standard Webhooks. */
export function newSecret(): string {
  return `whsec_${btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(32))))}`
}

/** Where the notices of a receiver go. */
export function placeOf({ webhook, email }: Receiver): string {
  return webhook?.url ?? (email === undefined ? '' : `${email.to.join(', ')}, by ${email.host}:${email.port ?? ''}`)
}

/** What became of a delivery, as a sign and words. */
export function fateOf({ status, tries, error }: Delivery): { sign: string; tone: 'good' | 'bad' | 'doubtful'; words: string } {
  const after = tries > 1 ? ` after ${plural(tries, 'try', 'tries')}` : ''
  switch (status) {
    case 'delivered':
      return { sign: '✓', tone: 'good', words: `delivered${after}` }
    case 'failed':
      return { sign: '✗', tone: 'bad', words: `failed${after}: ${error ?? ''}` }
    default:
      return { sign: '!', tone: 'doubtful', words: tries === 0 ? 'is being sent' : `${plural(tries, 'try', 'tries')} failed: ${error ?? 'no result yet'}` }
  }
}
