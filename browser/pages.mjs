// Checks every page of the application, with content, in light and dark.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { patience, play, told } from './people.mjs'

/** The paths of the application's pages, in the order in which it matches them with an address. */
const table = await readFile(new URL('../ui/src/pages.ts', import.meta.url), 'utf8')
const paths = [...table.matchAll(/\{ path: '([^']+)'/g)].map(([, path]) => path)
assert.equal(paths.length, table.match(/\bimport\('/g).length, 'this test cannot parse the table of pages')

/** Returns the path that matches an address. */
const pathOf = (hash) => {
  const given = hash.replace(/^#\/|\?.*$/g, '').split('/')
  return paths.find((path) => {
    const wanted = path.split('/')
    return wanted.length === given.length && wanted.every((part, n) => part.startsWith(':') || part === given[n])
  })
}

await play(async ({ invite, step }) => {
  const ann = await invite('ann', told.address)
  await ann.logIn(`${told.address}login`, 'ann')
  const { page } = ann
  const main = page.locator('main')
  const chart = main.getByRole('figure').first()
  const heading = (name) => main.getByRole('heading', { name, exact: true })
  const row = main.locator('tbody tr').first()
  const button = (name) => main.getByRole('button', { name, exact: true })

  /** The pages to check: a name, an address, and an element that only the loaded page has, not the page before. */
  const visits = [
    ['start', '#/start', row],
    ['setup', '#/setup', button('Test the connection')],
    ['schema', '#/schema', button('Build')],
    ['run', '#/run', row],
    ['job-live', `#/jobs/${told.live}`, chart],
    ['counters', '#/counter', row],
    ['counter', `#/counter/${told.counter}`, chart],
    ['profiles', '#/profiles', row],
    ['profile', '#/profiles/1', chart],
    ['profiles-compare', '#/profiles/compare?numbers=1,2', main.getByRole('link', { name: 'Profile 2' })],
    ['jobs', '#/jobs', main.getByRole('checkbox').first()],
    ['jobs-compare', `#/jobs/compare?ids=${told.runs.join(',')}`, heading('What differs')],
    ...Object.entries(told.jobs).map(([name, id]) => [`job-${name}`, `#/jobs/${id}?tab=details`, main.getByText(id, { exact: true })]),
    ['job-charts', `#/jobs/${told.jobs.run}`, chart],
    ['job-timeline', `#/jobs/${told.jobs.queries}`, chart],
    ['job-times', `#/jobs/${told.jobs.queries}?tab=transactions`, row],
    ['scripts', '#/scripts', main.getByRole('link', { name: told.script })],
    ['script', `#/scripts/${told.script}`, page.getByRole('textbox', { name: 'Text of the script' })],
    ['consoles', '#/console', button('Open a console in Tcl')],
    ['datagen', '#/datagen', row],
    ['datagen-task', `#/datagen/${told.files}`, heading('The manifest')],
    ['settings', '#/settings', heading('User accounts')],
    ['help', '#/help', heading('The manual')],
    ['help-page', '#/help/watch', heading('Watching a server')],
  ]
  const seen = new Set()
  const look = (name, hash, there) =>
    step(name, async () => {
      if (hash !== undefined) await ann.go(hash)
      await there.waitFor({ timeout: patience })
      await ann.look(`page-${name}`)
      seen.add(pathOf(new URL(page.url()).hash))
    })
  for (const visit of visits) await look(...visit)

  await ann.go('#/settings')
  await page.getByText('1 delivery').click()
  await button('Add a webhook').click()
  await look('settings-webhook', undefined, page.getByText('it is never shown again'))
  await button('Cancel').click()
  await button('Add an e-mail receiver').click()
  await look('settings-email', undefined, page.getByLabel('Mail server'))

  await ann.go('#/console')
  await button('Open a console in Tcl').click()
  await look('console', undefined, page.getByText('sledge>').first())

  assert.deepEqual(paths.filter((path) => !seen.has(path)), [], 'no test visits these pages: add a visit of each')
})
