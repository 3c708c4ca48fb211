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
    ['experiments', '#/experiments', row],
    ['experiment', '#/experiments/scaling', heading('Cells: the median of their valid runs')],
    ['history', '#/history?name=experiment%3Dscaling', chart],
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

  await step('a set-up gets a name, a link and a schedule', async () => {
    ann.expected.push(/status of 422/) // of a wrong cron expression
    await ann.go('#/setup')
    await button('Save as …').click()
    await page.getByLabel('Name', { exact: true }).fill('<b>nightly</b> for shop')
    await ann.look('setup-naming')
    await main.locator('form').getByRole('button', { name: 'Save', exact: true }).click()
    await main.getByText('Saved as <b>nightly</b> for shop.').waitFor()
    const link = new URL(page.url()).hash
    assert.match(link, /^#\/setup\?setup=\d+$/)
    const users = page.locator('#option-users')
    const before = await users.inputValue()
    await users.fill('7')
    await main.getByText('changed, not saved').waitFor()
    await page.reload()
    await main.getByText('changed, not saved').waitFor()
    assert.equal(await users.inputValue(), '7', 'a reload loses a change')
    await main.getByRole('region', { name: 'Saved set-ups' }).getByRole('button', { name: 'Save', exact: true }).click()
    await main.getByText('Saved <b>nightly</b> for shop.').waitFor()
    await users.fill(before)
    await button('Saved set-ups (1)').click()
    await main.locator('summary', { hasText: 'More: <b>nightly</b>' }).click()
    await ann.look('setup-saved')
    await main.getByRole('link', { name: 'Schedule …' }).click()

    await page.getByLabel('Cron expression').fill('0 2 * *')
    await main.getByText('cron: write minute').waitFor()
    await button('Sundays at 02:00').click()
    await main.getByText(/^Next: .* 02:00:00 UTC, /).waitFor()
    await button('Create the schedule').click()
    await row.waitFor()
    await main.getByRole('button', { name: 'History of <b>nightly</b> for shop' }).click()
    await main.getByText('No start was due yet.').waitFor()
  })
  ann.expected.pop()
  await look('schedules', undefined, row)
  await step('a schedule gets other times', async () => {
    await main.getByRole('button', { name: 'Change the times of <b>nightly</b> for shop' }).click()
    const cron = page.getByLabel('Cron expression')
    assert.equal(await cron.inputValue(), '0 2 * * 0')
    await cron.fill('30 4 * * 6')
    await ann.look('schedule-changed')
    await button('Save the times').click()
    await main.getByText(/^<b>nightly<.b> for shop starts .* 04:30:00 UTC\.$/).waitFor()
    await row.getByText('30 4 * * 6').waitFor()
    await main.getByRole('heading', { name: 'New schedule' }).waitFor()
  })
  await step('a schedule is switched off, and keeps its set-up', async () => {
    await page.getByRole('switch').click()
    await main.getByText('The schedule of <b>nightly</b> for shop is off.').waitFor()
    await main.getByRole('link', { name: '<b>nightly</b> for shop' }).click()
    await ann.heading('Set up')
    await main.getByText('changed, not saved').waitFor()
  })

  await ann.go('#/settings')
  await page.getByText('1 delivery').click()
  await button('Add a webhook').click()
  await look('settings-webhook', undefined, page.getByText('it is never shown again'))
  await button('Cancel').click()
  await button('Add an e-mail receiver').click()
  await look('settings-email', undefined, page.getByLabel('Mail server'))

  await step('a board', async () => {
    const labelled = await page.request.patch(`${told.address}api/v1/jobs/${told.runs[0]}`, { data: { labels: { kernel: '6.11' } } })
    assert.equal(labelled.status(), 200)
    await ann.go('#/boards')
    await page.getByLabel('Name of a new board').fill('Wall')
    await ann.look('page-boards')
    await button('Create').click()
    await ann.heading('Wall')
    const form = page.getByRole('form', { name: 'Add a tile' })
    const titles = () => main.locator('.wall .tile').allInnerTexts()
    const add = async (kind, of, tiles) => {
      await form.getByLabel('Tile').selectOption({ label: kind })
      if (of === undefined) await form.getByLabel(/^Label/).fill('kernel=6.11')
      else await form.getByRole('combobox', { name: /^Of/ }).selectOption(of)
      await button('Add').click()
      await page.waitForFunction((wanted) => document.querySelectorAll('.wall .tile').length === wanted, tiles)
    }
    await add('List of the last runs', undefined, 1)
    await add('Headline number', '', 2)
    await add('Throughput over time', told.live, 3)
    await add('Response times over time', told.live, 4)
    await add('Table of percentiles', told.runs[0], 5)
    await add('Headline number', told.live, 6)
    await main.getByRole('group', { name: 'Tile 2' }).getByRole('button', { name: 'Move up' }).press('Enter')
    await page.waitForFunction(() => document.querySelector('.wall h2')?.textContent?.includes('Headline number'))
    await main.getByRole('group', { name: 'Tile 6' }).getByRole('button', { name: 'Remove' }).click()
    await page.waitForFunction(() => document.querySelectorAll('.wall .tile').length === 5)
    await ann.look('page-board-edited')
    await main.getByRole('link', { name: 'Done' }).click()
    await chart.waitFor({ timeout: patience })
    await row.waitFor()
    const order = ['Headline number', 'List of the last runs', 'Throughput over time', 'Response times over time', 'Table of percentiles']
    const found = await titles()
    assert.ok(order.every((title, i) => found[i]?.startsWith(title)), `the tiles are in another order: ${found.join(', ')}`)
    await ann.look('page-board')
    await button('Full screen').click()
    await page.waitForFunction(() => document.fullscreenElement?.matches('.wall') === true)
    await page.evaluate(() => document.exitFullscreen())
    for (const path of ['boards', 'boards/:id']) seen.add(path)
  })

  /** Shares the page that is open, and returns a person without a login who has opened the link. */
  const guestOf = async (name, there) => {
    await button('Share …').click()
    const dialog = page.getByRole('dialog')
    if (name === 'job') await ann.look('share')
    await dialog.getByRole('button', { name: 'Make the link' }).click()
    const link = await dialog.locator('code').innerText()
    if (name === 'job') await ann.look('share-made')
    await dialog.getByRole('button', { name: 'Close' }).click()
    const guest = await invite(`guest-${name}`, told.address)
    await guest.page.goto(link)
    await guest.page.getByText('Shared by ann, until').waitFor({ timeout: patience })
    await there(guest.page).waitFor({ timeout: patience })
    assert.ok(!guest.page.url().includes(link.split('#')[1]), 'the token stays in the address')
    assert.equal(await guest.page.getByRole('navigation', { name: 'Pages' }).count(), 0)
    assert.equal((await guest.page.request.get(new URL('api/v1/jobs', guest.page.url()).href)).status(), 403)
    assert.equal((await guest.page.request.get(`${told.address}api/v1/jobs`)).status(), 401)
    return guest
  }

  await step('a shared board', async () => {
    const guest = await guestOf('board', (shared) => shared.getByRole('figure').first())
    await guest.look('shared-board')
    await guest.context.close()
  })

  await step('a shared comparison', async () => {
    await ann.go(`#/jobs/compare?ids=${told.runs.join(',')}`)
    const guest = await guestOf('comparison', (shared) => shared.getByRole('figure').first())
    await guest.look('shared-comparison')
    await guest.context.close()
  })

  await step('a shared job, with all its tabs', async () => {
    await ann.go(`#/jobs/${told.jobs.run}`)
    const guest = await guestOf('job', (shared) => shared.getByRole('figure').first())
    await guest.look('shared-job')
    for (const tab of await guest.page.getByRole('navigation', { name: 'Parts of this job' }).getByRole('link').all()) {
      await tab.click()
      await guest.page.waitForLoadState('networkidle')
    }
    await guest.context.close()
  })

  await step('a revoked link ends the page that is open', async () => {
    await ann.go(`#/jobs/${told.live}`)
    const guest = await guestOf('live', (shared) => shared.getByRole('list', { name: 'Figures so far' }))
    await ann.go('#/settings')
    await heading('Shared links').waitFor()
    await ann.look('settings-shares')
    guest.expected.push(/status of 401/)
    await main.getByRole('button', { name: `Revoke the link to Job ${told.live.slice(0, 12)}` }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
    await guest.page.getByText('Open the link again').waitFor({ timeout: patience })
    await guest.look('shared-revoked')
    await guest.page.reload()
    await guest.page.getByText('Open the link again').waitFor({ timeout: patience })
    await guest.context.close()
  })

  await ann.go('#/console')
  await button('Open a console in Tcl').click()
  await look('console', undefined, page.getByText('sledge>').first())

  assert.deepEqual(paths.filter((path) => !seen.has(path)), [], 'no test visits these pages: add a visit of each')
})
