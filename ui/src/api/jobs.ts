// Requests about jobs: the recorded ones, and those that start, follow and end one.

import { address, ahead, get, send } from './client.ts'
import type { ActivityOverTime, Best, Comparison, Curves, Distributions, Documents, Experiment, ExperimentHead, Failures, History, Job, Jobs, LiveUsers, Note, OutputPage, Plans, Points, Profile, ProfileComparison, ProfileHead, Samples, Sequence, Series, Timing } from './types.ts'

const of = (id: string): string => `jobs/${encodeURIComponent(id)}`

/** A query string of parameters; empty ones are left out. */
function query(values: Record<string, string | number | undefined>): string {
  return new URLSearchParams(Object.entries(values).flatMap(([name, value]) => (value === undefined || value === '' ? [] : [[name, String(value)]]))).toString()
}

/** The address of a part of the list of jobs, with filters, after the job before. */
const listed = (filter: Record<string, string>, limit: number, before = ''): string => `jobs?${query({ ...filter, limit, before, brief: 'true' })}`

/** A part of the list of jobs, with filters, after the job before. The jobs have only what the API calls brief. */
export function jobs(filter: Record<string, string>, limit: number, before = '', signal?: AbortSignal): Promise<Jobs> {
  return get(listed(filter, limit, before), 'sledge-jobs-1', signal)
}

/** The number of jobs that the list requests first, enough for a screen. */
export const firstJobs = 40

/** Requests the first jobs of the list before its page is loaded. */
export function jobsAhead(filter: Record<string, string>): void {
  ahead(listed(filter, firstJobs))
}

/** A job with its whole result. */
export function job(id: string, signal?: AbortSignal): Promise<Job> {
  return get(of(id), 'sledge-job-3', signal)
}

/** Transactions per minute over the time of a job, or a part of it, in at most this number of points. */
export function series(id: string, points: number, part: { from?: string; until?: string } = {}, signal?: AbortSignal): Promise<Series> {
  return get(`${of(id)}/series?${query({ points, ...part })}`, 'sledge-tpm-1', signal)
}

/** What was sampled beside a run, or a part of it, each series in at most this number of points. */
export function samples(id: string, points: number, part: { from?: string; until?: string } = {}, signal?: AbortSignal): Promise<Samples> {
  return get(`${of(id)}/samples?${query({ points, ...part })}`, 'sledge-samples-1', signal)
}

/** What the server's active sessions did over the time of a run, or a part of it, in at most 240 intervals. */
export function activity(id: string, part: { from?: string; until?: string } = {}, signal?: AbortSignal): Promise<ActivityOverTime> {
  return get(`${of(id)}/activity?${query(part)}`, 'sledge-activity-1', signal)
}

/** The rates of runs over their measured time, by ID. */
export async function curves(ids: readonly string[]): Promise<Curves> {
  return (await send<{ curves: Curves }>('GET', `curves?${new URLSearchParams(ids.map((id) => ['id', id])).toString()}`)).curves
}

/** Everything that was measured over the time of a run, or a part of it, in at most 480 points. */
export function points(id: string, part: { from?: string; until?: string } = {}, signal?: AbortSignal): Promise<Points> {
  return get(`${of(id)}/points?${query(part)}`, 'sledge-points-1', signal)
}

/** The whole distributions of a run's response and service times. */
export function histograms(id: string, signal?: AbortSignal): Promise<Distributions> {
  return send('GET', `${of(id)}/histograms`, undefined, signal)
}

/** The response times of a phase. */
export function timing(id: string, phase: string, users: boolean, signal?: AbortSignal): Promise<Timing> {
  return get(`${of(id)}/timing?${query({ phase, users: users ? 'true' : '' })}`, 'sledge-timing-1', signal)
}

export function plans(id: string): Promise<Plans> {
  return get(`${of(id)}/plans`, 'sledge-plans-1')
}

export function failures(id: string): Promise<Failures> {
  return send('GET', `${of(id)}/failures`)
}

/** Lines of a virtual user, or of all if user is 0, that contain a text. */
export function output(id: string, ask: { user: number; text: string; from: number; limit: number }, signal?: AbortSignal): Promise<OutputPage> {
  return send('GET', `${of(id)}/output?${query(ask)}`, undefined, signal)
}

/** The address of a job's export. */
export function exportAddress(id: string, format: 'json' | 'csv'): string {
  return address(`${of(id)}/export?format=${format}`)
}

/** The address of the report of a job, or of several runs. */
export function reportAddress(id: string, others: string[] = []): string {
  const beside = new URLSearchParams(others.map((other) => ['with', other])).toString()
  return address(`${of(id)}/report${beside === '' ? '' : `?${beside}`}`)
}

/** The address of the report of one or several performance profiles. */
export function profileReportAddress(number: number, others: number[] = []): string {
  const beside = new URLSearchParams(others.map((other) => ['with', String(other)])).toString()
  return address(`profiles/${number}/report${beside === '' ? '' : `?${beside}`}`)
}

/** Changes the labels and the note of a job, and returns it. */
export function annotate(id: string, change: { labels?: Record<string, string>; remove?: string[]; note?: string }): Promise<Job> {
  return send('PATCH', of(id), change)
}

/** The notes at moments and over spans of a run, in order of time. */
export async function notes(id: string, signal?: AbortSignal): Promise<Note[]> {
  return (await send<{ notes: Note[] }>('GET', `${of(id)}/notes`, undefined, signal)).notes
}

export function addNote(id: string, note: Pick<Note, 'from_seconds' | 'until_seconds' | 'text'>): Promise<Note> {
  return send('POST', `${of(id)}/notes`, note)
}

export function changeNote(id: string, number: number, note: Pick<Note, 'from_seconds' | 'until_seconds' | 'text'>): Promise<Note> {
  return send('PATCH', `${of(id)}/notes/${number}`, note)
}

export function deleteNote(id: string, number: number): Promise<void> {
  return send('DELETE', `${of(id)}/notes/${number}`)
}

/** Deletes a job from the repository permanently. */
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

/** The experiments, the one with the newest run first. */
export async function experiments(signal?: AbortSignal): Promise<ExperimentHead[]> {
  return (await get<{ schema: string; experiments: ExperimentHead[] }>('experiments?limit=500', 'sledge-experiments-1', signal)).experiments
}

export function experiment(name: string, signal?: AbortSignal): Promise<Experiment> {
  return get(`experiments/${encodeURIComponent(name)}`, 'sledge-experiment-1', signal)
}

export function experimentReportAddress(name: string): string {
  return address(`experiments/${encodeURIComponent(name)}/report`)
}

/** A figure of the runs of a set-up over time; the headline figure if none is named. */
export function history(of: { name: string; figure: string }, signal?: AbortSignal): Promise<History> {
  return get(`history?${query(of)}`, 'sledge-history-1', signal)
}

export function historyReportAddress(of: { name: string; figure: string }): string {
  return address(`history/report?${query(of)}`)
}

/** The sequences of runs that this server has started, newest first. */
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

/** Stops a run, or aborts a job. */
export function endJob(id: string, by: 'stop' | 'abort'): Promise<Job> {
  return send('POST', `${of(id)}/${by}`)
}

/** The running jobs. */
export async function runningJobs(signal?: AbortSignal): Promise<Job[]> {
  return (await jobs({ status: 'running' }, 100, '', signal)).jobs
}

/** The address of a job's live stream after the message with an id. */
export function liveAddress(id: string, after: string): string {
  const text = query({ after })
  return address(`${of(id)}/live${text === '' ? '' : `?${text}`}`)
}

/** A part of the virtual users of a running job. */
export function users(id: string, ask: { state: string; text: string; from: number; limit: number }, signal?: AbortSignal): Promise<LiveUsers> {
  return send('GET', `${of(id)}/users?${query(ask)}`, undefined, signal)
}
