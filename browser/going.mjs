// Tests that open pages report a lost connection and resume without being reloaded.
import assert from 'node:assert/strict'
import { ask, patience, play, told } from './people.mjs'

const sleep = (seconds) => new Promise((done) => setTimeout(done, 1000 * seconds))

await play(async ({ invite, step }) => {
  const watch = async (name, job, clock) => {
    const person = await invite(name, told.address)
    if (clock !== undefined) await person.page.clock.install({ time: clock })
    person.expected.push(/ERR_|status of 5\d\d/) // the test disconnects the network and stops the server
    await person.logIn(`${told.address}login`, 'ann')
    await person.go(`#/jobs/${job}`)
    await person.page.getByRole('list', { name: 'Figures so far' }).waitFor({ timeout: patience })
    await person.page.evaluate(() => (window.untouched = true))
    return person
  }
  /** Returns the elapsed time of the phase that a page shows, in seconds. */
  const passed = async ({ page }) => {
    const text = await page.locator('.phase').first().innerText()
    const [, clock] = /([\d:]+) of/.exec(text) ?? assert.fail(`no time in ${text}`)
    return clock.split(':').reduce((sum, part) => 60 * sum + Number(part), 0)
  }
  /** Waits until a page shows a later time than after, and fails if the page was reloaded. */
  const goesOn = async (person, after) => {
    await assert.doesNotReject(
      person.page.waitForFunction(
        (after) => {
          const [, clock] = /([\d:]+) of/.exec(document.querySelector('.phase')?.innerText ?? '') ?? []
          return clock !== undefined && clock.split(':').reduce((sum, part) => 60 * sum + Number(part), 0) > after
        },
        after,
        { timeout: 40_000 },
      ),
      `${person.name}'s page still shows ${after} s`,
    )
    assert.ok(await person.page.evaluate(() => window.untouched), `${person.name}'s page was reloaded`)
    assert.equal(await person.page.getByText(/connection was lost at|Nothing has arrived from the server/).count(), 0)
  }

  const here = await watch('here', told.here)
  const elsewhere = await watch('elsewhere', told.elsewhere)
  const hour = 3_600_000
  const sleeper = await watch('sleeper', told.slow, Date.now() - hour)

  await step('the network is cut for 10 s', async () => {
    const before = await passed(here)
    await ask('cut')
    const said = [here, elsewhere].map(({ page }) => page.getByText(/^Nothing has arrived from the server since/).waitFor({ timeout: 10_000 }))
    await Promise.all([sleep(10), ...said])
    await ask('mend')
    await goesOn(here, before + 9)
    await goesOn(elsewhere, before + 9)
  })

  await step('the browser sleeps', async () => {
    const before = await passed(here)
    const devtools = await here.context.newCDPSession(here.page)
    await devtools.send('Page.setWebLifecycleState', { state: 'frozen' })
    await ask('cut') // a sleeping machine loses its connections, too
    await sleep(5)
    await ask('mend')
    await devtools.send('Page.setWebLifecycleState', { state: 'active' })
    await goesOn(here, before + 4)
  })

  // While the sleeper's page is frozen, the server is replaced by another that has not sent
  // anything, and the clock and the run advance by an hour.
  const slept = await sleeper.context.newCDPSession(sleeper.page)
  await step('a second browser falls asleep', async () => {
    assert.equal(await passed(sleeper), told.begun)
    await slept.send('Page.setWebLifecycleState', { state: 'frozen' })
  })

  await step('the server is killed', async () => {
    await ask('kill')
    for (const person of [here, elsewhere]) await person.page.getByText(/The connection was lost at/).waitFor({ timeout: 40_000 })
    await here.look('lost')
  })

  await step('the server is started again', async () => {
    const before = await passed(elsewhere)
    await ask('start')
    await goesOn(elsewhere, before + 2)
    await here.page.getByText('killed').first().waitFor({ timeout: 40_000 })
    await here.page.getByRole('button', { name: 'Run again' }).waitFor()
    await here.look('killed')
  })

  await step('the second browser wakes an hour later', async () => {
    await ask('hour')
    await sleeper.page.clock.fastForward(hour)
    await slept.send('Page.setWebLifecycleState', { state: 'active' })
    await goesOn(sleeper, told.begun + 3499)
    await ask('second')
    await goesOn(sleeper, told.begun + 3500)
    // The chart contains the whole hour: 3,521 seconds, with 8 seconds for each point.
    await sleeper.page.getByText('Table of 441 rows').first().waitFor()
  })
})
