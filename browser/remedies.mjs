// Leads people out of failures: a schema that is missing, a password that is refused, a server that
// is not there. Each way out is a button.
import assert from 'node:assert/strict'
import { patience, play, told } from './people.mjs'

await play(async ({ invite, step }) => {
  const ann = await invite('ann', told.address)
  const { page } = ann
  const button = (name) => page.getByRole('button', { name, exact: true })
  const option = (name) => page.locator(`#option-${name}`)
  const jobAt = () => /#\/(?:run|jobs)\/([0-9A-F]+)/.exec(page.url())?.[1]

  /** Opens Set up and chooses the database and its options. */
  const setUp = async (options) => {
    await ann.go('#/setup')
    await ann.heading('Set up')
    await page.getByRole('combobox', { name: /^Database/ }).first().selectOption({ label: told.database })
    for (const [name, value] of Object.entries(options)) await option(name).fill(value)
  }
  /** Tests the connection and returns the state in the heading of the result. */
  const test = async () => {
    await button('Test the connection').click()
    await page.locator('#trial').waitFor()
    return (await page.locator('#trial').innerText()).replace(/^.*: /, '')
  }
  const estimate = () => page.getByRole('group', { name: 'Estimate' }).innerText()
  /** Waits until a job of the page has begun, and returns its status when it has ended. */
  const ended = async (id) => {
    const of = async () => (await (await page.request.get(`${told.address}api/v1/jobs/${id}`)).json()).status
    for (const until = Date.now() + 90_000; (await of()) === 'running' && Date.now() < until; ) await page.waitForTimeout(200)
    return of()
  }
  const run = { users: '1', rampup: '0s', duration: '2s' }

  await step('log in', () => ann.logIn(told.link))

  await step('a test says what is missing, and the main button builds it and runs', async () => {
    await setUp({ ...told.options, ...run })
    assert.equal(await test(), told.missing)
    await ann.look(`${told.name}-trial-missing`)
    assert.equal(await button('Build, then run').getAttribute('class'), 'primary')
    await button('Build, then run').click()
    await page.getByText('even if you close this tab').waitFor()
    await ann.look(`${told.name}-build-then-run`)
    await page.reload()
    await page.waitForURL((url) => /^#\/(run|jobs)\//.test(url.hash), { timeout: 90_000 })
    // On a busy machine the counts may disagree, which makes the run invalid.
    assert.match(await ended(jobAt()), /succeeded|invalid/)
  })

  await step('a test of what was built says so, and the main button runs', async () => {
    await setUp({ ...told.options, ...run })
    assert.equal(await test(), 'reached; the schema is there')
    assert.equal(await button('Build, then run').count(), 0)
    assert.equal(await button('Run').getAttribute('class'), 'primary')
    assert.doesNotMatch(await estimate(), /Build/)
  })

  await step('what people set most is on one screen, and the rest says how much of it is changed', async () => {
    await page.setViewportSize({ width: 1440, height: 900 })
    await page.evaluate(() => scrollTo(0, 0))
    for (const locator of [button('Run'), page.getByRole('combobox', { name: 'Workload' }), ...['users', 'warehouses', 'duration', ...Object.keys(told.options)].map(option)]) {
      const box = await locator.boundingBox()
      assert.ok(box && box.y > 0 && box.y + box.height < 900, `${locator} is not on the screen`)
    }
    await button('1 min').click()
    assert.deepEqual([await option('rampup').inputValue(), await option('duration').inputValue()], ['10s', '1'])
    assert.match(await estimate(), /Run: about 1 min 10 s/)
    const driver = page.locator('summary', { hasText: 'Driver' })
    await driver.click()
    await option('deck').focus()
    await page.locator('aside', { hasText: 'Deck' }).waitFor()
    await page.keyboard.press('Space')
    await driver.getByText('1 changed').waitFor()
    await ann.look(`${told.name}-options`)
  })

  await step('a run without a schema is not started, but the build is offered', async () => {
    await setUp({ ...told.other, ...run })
    await button('Run').click()
    await page.locator('#trial', { hasText: told.missing }).waitFor()
    assert.match(await estimate(), /Build: about .* as the build of 1 warehouse/)
  })

  await step('a run that failed for want of a schema offers the build', async () => {
    await ann.go('#/run')
    await button('Start').click()
    await page.waitForURL((url) => /^#\/(run|jobs)\//.test(url.hash))
    const failed = jobAt()
    assert.equal(await ended(failed), 'failed')
    await ann.go(`#/jobs/${failed}`)
    await page.getByRole('group', { name: 'Remedies' }).waitFor({ timeout: patience })
    await ann.look(`${told.name}-remedies`)
    await button('Build, then run').click()
    await page.waitForURL((url) => url.hash === '#/setup')
    await page.waitForURL((url) => /^#\/(run|jobs)\//.test(url.hash), { timeout: 90_000 })
    assert.notEqual(jobAt(), failed)
    assert.match(await ended(jobAt()), /succeeded|invalid/)
  })

  await step('a value that is refused leads to its field', async () => {
    await setUp({ rampup: 'soon' })
    await ann.go('#/run')
    ann.expected.push(/status of 422/)
    await button('Start').click()
    const change = page.getByRole('alert').getByRole('button', { name: /^Change / })
    await change.waitFor()
    await ann.look(`${told.name}-refused-value`)
    await change.click()
    await ann.heading('Set up')
    await page.waitForFunction(() => document.activeElement?.id === 'option-rampup')
    await option('rampup').fill('0s')
  })

  if (told.password_of) {
    await step('a password that is refused is not a server that is not reached', async () => {
      await setUp({ [told.password_of]: 'wrong' })
      assert.equal(await test(), 'the login is refused')
      await ann.look(`${told.name}-refused-password`)
      await button('Change the password').click()
      await page.waitForFunction((id) => document.activeElement?.id === id, `option-${told.password_of}`)
      await setUp({ [told.password_of]: told.options[told.password_of], port: '1' })
      assert.equal(await test(), 'not reached')
      await button('Change the address').click()
      await page.waitForFunction(() => document.activeElement?.id === 'option-host')
    })

    await step('a run whose password is refused leads to the field', async () => {
      await setUp({ port: told.options.port, [told.password_of]: 'wrong' })
      await ann.go('#/run')
      await button('Start').click()
      await page.waitForURL((url) => /^#\/(run|jobs)\//.test(url.hash))
      const failed = jobAt()
      assert.equal(await ended(failed), 'failed')
      await ann.go(`#/jobs/${failed}`)
      await button('Change the password').click()
      await page.waitForFunction((id) => document.activeElement?.id === id, `option-${told.password_of}`)
    })
  }
})
