// Tests a read-only server: it has every page, but no page has enabled buttons.
import assert from 'node:assert/strict'
import { play, told } from './people.mjs'

const acts = /^(Run|Build|Check|Delete.*|Edit|Start.*|Stop.*|Abort|Keep|Save.*|New.*|Open.*|Test the connection)$/

await play(async ({ invite, step }) => {
  const ann = await invite('ann', told.address)
  const { page } = ann
  await step('a user who may act logs in, and sees that the server is read-only', async () => {
    await ann.logIn(`${told.address}login`, 'ann')
    await page.locator('header').getByText('read-only').first().waitFor()
  })
  await step('no page has enabled buttons', async () => {
    ann.expected.push(/status of 403 .*\/api\/v1\/scripts$/) // this server hides scripts, and the pages say so
    const links = await page.locator('header li a').evaluateAll((all) => all.map((a) => a.getAttribute('href')))
    let found = 0
    for (const link of [...links, `#/jobs/${told.job}`]) {
      await ann.go(link)
      await page.reload() // otherwise the previous page is still shown for a moment
      await ann.heading(/./)
      await page.waitForLoadState('networkidle')
      const buttons = page.locator('main').getByRole('button', { name: acts })
      found += await buttons.count()
      const enabled = await buttons.evaluateAll((all) => all.filter((button) => !button.matches(':disabled')).map((button) => button.innerText))
      assert.deepEqual(enabled, [], `${link} has enabled buttons`)
    }
    assert.ok(found >= 5, `got ${found} disabled buttons, want at least 5`)
    await ann.look('read-only-job')
  })
  await step('the API refuses her requests, too', async () => {
    ann.expected.push(/status of 403/)
    for (const [method, path] of [['POST', 'jobs'], ['DELETE', `jobs/${told.job}`], ['PATCH', `jobs/${told.job}`], ['PUT', 'scripts/x.tcl'], ['POST', 'executions']]) {
      const status = await page.evaluate(
        ([method, path]) =>
          fetch(new URL(`api/v1/${path}`, document.baseURI), { method, body: '{}', headers: { 'Content-Type': 'application/json' } }).then((answer) => answer.status),
        [method, path],
      )
      assert.equal(status, 403, `${method} ${path}`)
    }
  })
})
