// Jobs, as the API has them: those that are kept, and what starts, follows and ends one.

import { address, ahead, get, send } from './client.ts'
import type { Best, Comparison, Documents, Failures, Job, Jobs, LiveUsers, OutputPage, Plans, Profile, ProfileComparison, ProfileHead, Sequence, Series, Timing } from './types.ts'

const of = (id: string): string => `jobs/${encodeURIComponent(id)}`

/** Text by name as it stands in an address; what is "" is left out. */
function query(values: Record<string, string | number | undefined>): string {
  return new URLSearchParams(Object.entries(values).flatMap(([name, value]) => (value === undefined || value === '' ? [] : [[name, String(value)]]))).toString()
}

/** Where a part of the list of jobs is, narrowed by what the API takes, behind the job before. */
const listed = (filter: Record<string, string>, limit: number, before = ''): string => `jobs?${query({ ...filter, limit, before })}`

/** A part of the list of jobs, narrowed by what the API takes, behind the job before. */
export function jobs(filter: Record<string, string>, limit: number, before = '', signal?: AbortSignal): Promise<Jobs> {
  return get(listed(filter, limit, before), 'sledge-jobs-1', signal)
}

/** How many jobs the index asks for at first, so that a screen is full soon. */
export const firstJobs = 40

/** Asks for the first jobs of the index before it is there itself. */
export function jobsAhead(filter: Record<string, string>): void {
  ahead(listed(filter, firstJobs))
}

/** One job with all that was counted in it. */
export function job(id: string, signal?: AbortSignal): Promise<Job> {
  return get(of(id), 'sledge-job-3', signal)
}

/** Transactions a minute over the time of a job, or a part of it, in no more points than those. */
export function series(id: string, points: number, part: { from?: string; until?: string } = {}, signal?: AbortSignal): Promise<Series> {
  return get(`${of(id)}/series?${query({ points, ...part })}`, 'sledge-tpm-1', signal)
}

/** How long transactions took, in a phase. */
export function timing(id: string, phase: string, users: boolean, signal?: AbortSignal): Promise<Timing> {
  return get(`${of(id)}/timing?${query({ phase, users: users ? 'true' : '' })}`, 'sledge-timing-1', signal)
}

export function plans(id: string): Promise<Plans> {
  return get(`${of(id)}/plans`, 'sledge-plans-1')
}

export function failures(id: string): Promise<Failures> {
  return send('GET', `${of(id)}/failures`)
}

/** Lines that virtual users put out: of one of them, or of all with 0, with a text in them. */
export function output(id: string, ask: { user: number; text: string; from: number; limit: number }, signal?: AbortSignal): Promise<OutputPage> {
  return send('GET', `${of(id)}/output?${query(ask)}`, undefined, signal)
}

/** Where all that was recorded of a job can be downloaded. */
export function exportAddress(id: string, format: 'json' | 'csv'): string {
  return address(`${of(id)}/export?format=${format}`)
}

/** Where the report of a job can be downloaded, or with other runs beside it. */
export function reportAddress(id: string, others: string[] = []): string {
  const beside = new URLSearchParams(others.map((other) => ['with', other])).toString()
  return address(`${of(id)}/report${beside === '' ? '' : `?${beside}`}`)
}

/** Where the report of a performance profile can be downloaded, or with others laid over it. */
export function profileReportAddress(number: number, others: number[] = []): string {
  const beside = new URLSearchParams(others.map((other) => ['with', String(other)])).toString()
  return address(`profiles/${number}/report${beside === '' ? '' : `?${beside}`}`)
}

/** Changes the labels and the note of a job, and returns it. */
export function annotate(id: string, change: { labels?: Record<string, string>; remove?: string[]; note?: string }): Promise<Job> {
  return send('PATCH', of(id), change)
}

/** Takes a job out of the repository for good. */
export function remove(id: string): Promise<void> {
  return send('DELETE', of(id))
}

/** The best run of each database, workload and amount of data. */
export function best(signal?: AbortSignal): Promise<Best> {
  return get('best', 'sledge-best-1', signal)
}

export function compare(ids: string[], signal?: AbortSignal): Promise<Comparison> {
  return get(`compare?${new URLSearchParams(ids.map((id) => ['id', id])).toString()}`, 'sledge-comparison-1', signal)
}

export async function profiles(signal?: AbortSignal): Promise<ProfileHead[]> {
  return (await get<{ schema: string; profiles: ProfileHead[] }>('profiles?limit=500', 'sledge-profiles-1', signal)).profiles
}

export function profile(number: number, signal?: AbortSignal): Promise<Profile> {
  return get(`profiles/${number}`, 'sledge-profile-1', signal)
}

export function compareProfiles(numbers: number[], signal?: AbortSignal): Promise<ProfileComparison> {
  return get(`profiles/compare?${new URLSearchParams(numbers.map((number) => ['number', String(number)])).toString()}`, 'sledge-profile-comparison-1', signal)
}

/** The sequences of runs that were started by this server, the newest first. */
export async function sequences(signal?: AbortSignal): Promise<Sequence[]> {
  return (await send<{ sequences: Sequence[] }>('GET', 'sequences', undefined, signal)).sequences
}

export function startSequence(settings: Record<string, string>): Promise<Sequence> {
  return send('POST', 'sequences', { action: 'run', settings })
}

export function stopSequence(profile: number): Promise<Sequence> {
  return send('POST', `sequences/${profile}/stop`)
}

/** Starts a job. */
export function startJob(wanted: Documents['api.Start']): Promise<Job> {
  return send('POST', 'jobs', wanted)
}

/** Stops a run, or breaks a job off. */
export function endJob(id: string, by: 'stop' | 'abort'): Promise<Job> {
  return send('POST', `${of(id)}/${by}`)
}

/** The jobs that go on. */
export async function runningJobs(signal?: AbortSignal): Promise<Job[]> {
  return (await jobs({ status: 'running' }, 100, '', signal)).jobs
}

/** Where how a job stands is told, for who has read up to an id. */
export function liveAddress(id: string, after: string): string {
  const text = query({ after })
  return address(`${of(id)}/live${text === '' ? '' : `?${text}`}`)
}

/** Some of the virtual users of a job that goes on. */
export function users(id: string, ask: { state: string; text: string; from: number; limit: number }, signal?: AbortSignal): Promise<LiveUsers> {
  return send('GET', `${of(id)}/users?${query(ask)}`, undefined, signal)
}
