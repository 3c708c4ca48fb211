// A complete test as a person does it, with the mouse. If told.keyboard is set, it uses only the
// keyboard: it reaches every button and link with Tab and presses it.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { patience, play, told } from './people.mjs'

await play(async ({ invite, step }) => {
  const ann = await invite(told.keyboard ? 'keyboard' : 'ann', told.address)
  const { page } = ann
  /** Checks a page, with the mouse only: the pages are the same with the keyboard. */
  const look = (name) => (told.keyboard ? undefined : ann.look(`${told.name}-${name}`))

  /** Presses Tab until an element has the focus. */
  const reach = async (locator) => {
    await locator.waitFor({ timeout: patience })
    for (let n = 0; n < 400; n++) {
      if (await locator.evaluate((element) => element === document.activeElement)) return
      await page.keyboard.press('Tab')
    }
    assert.fail(`Tab does not reach ${locator}`)
  }
  /** Presses a button or follows a link. */
  const press = async (locator, key = 'Enter') => {
    if (!told.keyboard) return locator.click()
    await reach(locator)
    await page.keyboard.press(key)
  }
  const choose = (locator) => press(locator, 'Space')
  const button = (name, within = page) => within.getByRole('button', { name, exact: true })
  const nav = (name) => page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name, exact: true })

  /** Replaces the text of a field. */
  const fill = async (locator, text) => {
    if (!told.keyboard) return locator.fill(text)
    await reach(locator)
    await page.keyboard.press('Control+A')
    await page.keyboard.type(text)
  }
  /** Selects the option with a label. */
  const select = async (locator, label) => {
    if (!told.keyboard) return locator.selectOption({ label })
    await reach(locator)
    await page.keyboard.type(label)
  }
  const option = (name) => page.locator(`#option-${name}`)
  /** Waits until the job on the page has ended, and returns its outcome as a word. */
  const outcome = async () => {
    await button('Run again').waitFor({ timeout: 90_000 })
    return /\w+/.exec(await page.locator('.title .status').innerText())?.[0]
  }
  /** Presses a button of the Schema page and waits until its job is done. */
  const schema = async (action) => {
    await press(nav('Schema'))
    await press(button(action))
    await page.getByRole('heading', { name: new RegExp(`^${action}`, 'i') }).waitFor()
    await page.locator('[role=status]', { hasText: 'done' }).waitFor({ timeout: 90_000 })
  }
  /** Starts a run with the settings of the page, except the virtual users and the duration. */
  const run = async (users, duration) => {
    await press(nav('Set up'))
    await fill(option('users'), users)
    await fill(option('rampup'), '0s')
    await fill(option('duration'), duration)
    await press(button('Run'))
    await page.waitForURL((url) => /^#\/jobs\/[0-9A-F]+/.test(url.hash))
    return /#\/jobs\/([0-9A-F]+)/.exec(page.url())[1]
  }

  await step('log in by the link', async () => {
    await ann.logIn(told.link)
    await look('first')
  })

  await step('set up', async () => {
    await press(nav('Set up'))
    await select(page.getByRole('combobox', { name: /^Database/ }).first(), told.database)
    for (const [name, value] of Object.entries(told.options)) await fill(option(name), value)
    await press(button('Test the connection'))
    await page.locator('#trial').waitFor()
    await look('setup')
  })

  await step('build', async () => {
    await schema('Build')
    await look('built')
  })

  await step('check', async () => {
    await schema('Check')
    await look('checked')
  })

  await step('run, watch and stop', async () => {
    await run('2', '10m')
    await page.getByRole('list', { name: 'Figures so far' }).waitFor()
    await page.getByRole('figure').first().waitFor()
    await page.waitForTimeout(4000) // for some measurements
    await look('running')
    await press(button('Stop'))
    await press(button('Stop the run', page.getByRole('dialog')))
    assert.equal(await outcome(), 'partial')
    await look('stopped')
  })

  const ended = await step('run until the end', async () => {
    const id = await run('1', '3s')
    // On a busy machine the counts may disagree, which makes the run invalid.
    assert.match(await outcome(), /done|invalid/)
    return id
  })

  await step('read the job', async () => {
    // The page of the run has become its record.
    assert.equal(new URL(page.url()).hash, `#/jobs/${ended}`)
    await page.getByRole('list', { name: 'Figures', exact: true }).getByText('NOPM').first().waitFor()
    await page.waitForLoadState('networkidle')
    await look('job')
    for (const tab of ['Transactions', 'Failures', 'Output', 'Details']) {
      await press(page.getByRole('navigation', { name: 'Parts of this job' }).getByRole('link', { name: tab }))
      await page.waitForURL((url) => url.hash.includes('?tab='))
      await page.waitForLoadState('networkidle')
      await look(`job-${tab.toLowerCase()}`)
    }
  })

  await step('count what the server counts', async () => {
    if (told.uncounted) ann.expected.push(/status of 422/)
    await press(nav('Counter'))
    await fill(page.getByLabel('Seconds between readings'), '1')
    await press(button('Start'))
    if (told.uncounted) {
      await page.getByRole('alert').getByText('does not count its transactions').waitFor()
      ann.expected.pop()
      return look('counters')
    }
    const rates = page.getByRole('list', { name: 'Rates' })
    await rates.getByText(/^over \d/).waitFor()
    await page.getByRole('figure').first().waitFor()
    await look('counter')
    await press(button('Stop'))
    await page.getByText('it was stopped').waitFor()
    await press(page.getByRole('link', { name: 'All counters' }))
    await page.getByRole('table').getByText('ended').waitFor()
  })

  await step('a profile of 1 and 2 users', async () => {
    await press(nav('Profiles'))
    await fill(page.getByLabel(/^Numbers of virtual users/), '1,2')
    await press(page.getByRole('button', { name: /^Start \d+ runs/ }))
    await ann.heading('Profile 1')
    await page.getByRole('figure').first().waitFor({ timeout: 60_000 })
    await look('profile')
  })

  await step('compare two runs', async () => {
    await press(nav('Jobs'))
    await page.getByRole('searchbox').waitFor()
    const runs = page.getByRole('row').filter({ hasText: 'run' }).getByRole('checkbox')
    await choose(runs.nth(0))
    await choose(runs.nth(1))
    await look('chosen')
    await press(page.getByRole('link', { name: 'Compare' }))
    await ann.heading('Comparison of runs')
    await page.getByRole('table').first().waitFor()
    await page.waitForLoadState('networkidle')
    await look('compared')
  })

  await step('take a report along', async () => {
    await ann.go(`#/jobs/${ended}`)
    const [download] = await Promise.all([page.waitForEvent('download'), press(page.getByRole('link', { name: 'Report', exact: true }))])
    const text = await readFile(await download.path(), 'utf8')
    assert.ok(text.includes(ended) && text.includes('<svg'), 'the report does not show the run')
  })

  await step('delete a job', async () => {
    await ann.go(`#/jobs/${ended}`)
    await press(page.locator('summary', { hasText: 'More' }))
    await press(button('Delete this job …'))
    await press(button('Delete the job', page.getByRole('dialog')))
    await page.waitForURL((url) => url.hash.startsWith('#/jobs') && !url.hash.includes(ended))
    await page.getByRole('searchbox').waitFor()
    assert.equal(await page.getByText(ended.slice(0, 12)).count(), 0)
  })

  await step('delete the schema', async () => {
    await press(nav('Schema'))
    await press(button('Delete the schema …'))
    await press(page.getByRole('dialog').getByRole('button', { name: /^Delete / }))
    await page.getByRole('heading', { name: /^Delet/ }).waitFor()
    await page.locator('[role=status]', { hasText: 'done' }).waitFor({ timeout: 60_000 })
  })

  if (!told.keyboard) {
    await step('write a script and run it', async () => {
      await press(nav('Scripts'))
      await fill(page.getByLabel('Name'), 'greet')
      await press(page.getByRole('button', { name: /^Create/ }))
      const text = page.getByRole('textbox', { name: 'Text of the script' })
      assert.ok((await text.innerText()).includes(Object.values(told.options)[0]), 'a new script does not have the set-up')
      await text.click()
      // For several lines, typing would create style attributes, which the policy forbids.
      await page.keyboard.press('Control+A')
      await page.keyboard.type('puts [expr {6 * 7}]')
      await page.keyboard.press('Control+Enter')
      await page.getByRole('log').getByText('42').waitFor()
      await look('script')
    })
  }

  await step('log out', async () => {
    await press(page.locator('header details summary'))
    await press(button('Log out'))
    await page.waitForURL(/\/login$/)
  })
})
