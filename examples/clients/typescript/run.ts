// Starts a run on SQLite, follows it, and prints its series, with a client that openapi-generator has
// generated:
//
//	SLEDGE_URL=http://127.0.0.1:8080/api/v1 SLEDGE_TOKEN=... node run.js FILE

import { type ApiEvent, ApiEventFromJSON, Configuration, JobsApi, type ReportDocument, ReportDocumentFromJSON, SettingsAndActionsApi } from './client/index.js'

declare const process: { env: Record<string, string | undefined>; argv: string[] } // Node.js has it

/** Yields the events of a job as they come, and at the end the job. */
async function* follow(api: SettingsAndActionsApi, id: string): AsyncGenerator<{ event: ApiEvent } | { over: ReportDocument }> {
  const { raw } = await api.watchJobRaw({ id })
  if (raw.body === null) throw new Error('the response has no body')
  let name = ''
  let rest = ''
  const decoder = new TextDecoder()
  for await (const part of raw.body) {
    const lines = (rest + decoder.decode(part, { stream: true })).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) {
      if (line.startsWith('event: ')) name = line.slice('event: '.length)
      if (!line.startsWith('data: ')) continue
      const data: unknown = JSON.parse(line.slice('data: '.length))
      if (name === 'over') {
        yield { over: ReportDocumentFromJSON(data) }
        return
      }
      yield { event: ApiEventFromJSON(data) }
    }
  }
  throw new Error('the server ended the stream before the job had ended')
}

async function main(): Promise<void> {
  const [file] = process.argv.slice(2)
  const configuration = new Configuration({ basePath: process.env.SLEDGE_URL, accessToken: process.env.SLEDGE_TOKEN })
  const actions = new SettingsAndActionsApi(configuration)
  const jobs = new JobsApi(configuration)
  const settings = { db: 'sqlite', dbname: file, users: 2, rampup: 0, duration: '2s' }
  const { id } = await actions.startJob({ apiStart: { action: 'run', settings, labels: { client: 'TypeScript' } } })
  if (id === undefined) throw new Error('the job has no ID')
  let status = ''
  let seconds = 0
  for await (const message of follow(actions, id)) {
    if ('over' in message) status = message.over.status
    else if (message.event.second !== undefined) seconds++
  }
  const { points } = await jobs.showSeries({ id, points: 100 })
  const most = Math.max(...points.map((point) => point.clientTpm ?? 0))
  console.log(`${id} ${status}: ${seconds} seconds, ${points.length} points, at most ${most.toFixed(0)} TPM`)
}

await main()
