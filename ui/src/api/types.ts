// Short names for the documents that pages read. Their types are generated from the API's description,
// docs/api/openapi.json.

import type { components, operations } from '../../generated/openapi.ts'

export type Documents = components['schemas']

/** The status of a job. */
export type Status = NonNullable<NonNullable<operations['list-jobs']['parameters']['query']>['status']>

/** A recorded job, which has an ID. */
export type Job = Documents['report.Document'] & { id: string }
/** A part of the list of jobs, newest first. */
export type Jobs = Documents['api.JobsPage'] & { jobs: Job[] }
export type Metric = Documents['job.Metric']
export type Latency = Documents['meter.Latency']
export type Transaction = Documents['report.Transaction']
export type Span = Documents['job.Span']
export type Finding = Documents['job.Finding']
export type Rate = Documents['job.Rate']
export type Series = Documents['document.TPM']
export type Samples = Documents['document.Samples']
export type Sampled = Documents['job.Sampled']
export type Host = Documents['job.Host']
export type Activity = Documents['job.Activity']
export type ActivityOverTime = Documents['document.Activity'] & { shares: ActivityShareOverTime[] }
export type ActivityShareOverTime = Documents['document.ActivityShare']
export type ActivityShare = Documents['job.ActivityShare']
export type TimePart = Documents['job.TimePart']
export type TimeSplit = Documents['job.TimeSplit']
export type ServerCounters = Documents['job.ServerCounters'] & { counters: ServerCounter[] }
export type ServerCounter = Documents['job.ServerCounter']
export type Resources = Documents['job.Resources'] & { uses: ResourceUse[] }
export type ResourceUse = Documents['job.ResourceUse']
export type Statements = Documents['job.Statements'] & { top: Documents['job.Statement'][] }
export type Statement = Documents['job.Statement']
export type QueryPlan = Documents['job.QueryPlan']
export type Distributions = Documents['api.Distributions']
export type Curves = Documents['api.Curves']['curves']
export type Points = Documents['document.Points']
export type Timing = Documents['document.Timing']
export type Plans = Documents['report.Plans']
export type Failures = Documents['api.Failures']
export type OutputPage = Documents['api.OutputPage']
export type Best = Documents['document.Best']
export type BestRun = Documents['report.BestRun']
export type Comparison = Documents['report.Comparison']
export type Difference = Documents['report.Difference']
export type Profile = Documents['report.Profile'] & { runs: Job[] }
export type ProfilePoint = Documents['report.ProfilePoint']
export type ProfileHead = Documents['document.ProfileHead']
export type ProfileComparison = Documents['report.ProfileComparison']
export type ExperimentHead = Documents['repository.ExperimentHead']
export type Experiment = Documents['report.Experiment']
export type ExperimentCell = Documents['report.ExperimentCell']
export type History = Documents['report.History']
export type Sequence = Documents['api.Sequence']
export type Problem = Documents['api.Problem']
export type Live = Documents['api.Live']
export type Marker = Documents['live.Marker']
export type Phase = Documents['live.Phase']
export type Note = Documents['repository.Note']
export type LivePoint = Documents['live.Point']
export type LiveProgress = Documents['live.Progress']
export type LiveUsers = Documents['live.Some']
export type Entry = Documents['document.Entry']
export type Option = Documents['document.Option']
export type Options = Documents['document.Options']
export type Counter = Documents['api.Counter']
export type CounterLine = Documents['api.CounterLine']
export type CounterNews = Documents['api.CounterNews']
