// The members of the documents that pages read, as docs/json describes them. Documents have
// more; the tests hold these against documents that the program printed.

export type Status = 'running' | 'succeeded' | 'failed' | 'partial' | 'invalid' | 'killed'

/** A headline figure. */
export interface Metric {
  name: string
  value: number
  unit?: string
  means?: string
}

/** How long transactions took, in milliseconds. */
export interface Latency {
  min_ms: number
  mean_ms: number
  p50_ms: number
  p90_ms: number
  p95_ms: number
  p99_ms: number
  p99_9_ms: number
  max_ms: number
}

/** What one kind of transaction did. */
export interface Transaction {
  kind: string
  done: number
  share_percent: number
  rolled_back: number
  retries: number
  failed: number
  failed_by_class?: Record<string, number>
  response?: Latency
}

/** A transaction of a run that ends when its work is done. */
export interface Span {
  user: number
  kind: string
  stage?: string
  /** As the workload numbers them; -1 of what is of none. */
  stream: number
  /** Since users began. */
  from_seconds: number
  seconds: number
  rows: number
  /** "done", or how else it ended; missing of one under way. */
  outcome?: string
  class?: string
  message?: string
}

/** The virtual users' own count beside the server's. */
export interface Agreement {
  what: string
  client: number
  server: number
  low: number
  high: number
  holds: boolean
  /** Which connections, of a pool that leads to several places. */
  over?: string
  /** The bounds are so far apart that this says nothing. */
  vague?: boolean
  /** There was nothing to count. */
  none?: boolean
}

/** A rule that a check asked for. */
export interface Finding {
  rule: string
  title: string
  source?: string
  holds: boolean
  excuse?: string
  cause?: string
  columns?: string[]
  rows?: string[][]
  error?: string
}

/** How many rows of a table a build loaded. */
export interface TableLoad {
  table: string
  rows: number
  bytes: number
  seconds: number
}

/** What is known of the server, and of the machine that Sledge ran on. */
export interface Facts {
  sledge_version: string
  server: string
  product?: string
  server_settings?: Record<string, string>
  target: string
  size?: string
  durability?: { holds: boolean; why: string }
  host: { name: string; os: string; arch: string; cpu?: string; cpus: number; memory_bytes?: number }
}

/** sledge-job-2. */
export interface Job {
  schema: string
  id: string
  action: string
  database: string
  workload: string
  options?: Record<string, string>
  users?: number
  seed: number
  profile?: number
  labels?: Record<string, string>
  note?: string
  origin?: string
  status: Status
  reason?: string
  begun?: string
  ended?: string
  facts?: Facts
  metrics?: Metric[]
  remarks?: string[]
  started?: string
  elapsed_seconds?: number
  agreement?: Agreement
  counter_agreement?: Agreement
  longest_gap?: { from_seconds: number; seconds: number }
  standstills?: number
  client?: { cores_used: number; cores: number; with_database?: boolean }
  outages?: { from_seconds: number; lost: number }[]
  unrecorded_events?: number
  spans?: Span[]
  transactions?: Transaction[]
  all?: Transaction
  findings?: Finding[]
  loaded?: TableLoad[]
}

/** A part of sledge-jobs-1, the newest first. */
export interface Jobs {
  schema: string
  jobs: Job[]
  /** There are more: those before it. */
  next?: string
}

/** Transactions a minute at a moment of a run. */
export interface Rate {
  at: string
  phase: string
  offset_seconds: number
  server_tpm?: number
  client_tpm?: number
  response?: Latency
}

/** sledge-tpm-1. */
export interface Series {
  schema: string
  id: string
  points: Rate[]
}

/** Why a request was not fulfilled (RFC 9457). */
export interface Problem {
  detail: string
}
