// A server that only shows: every page is there, and none lets anybody act.
import assert from 'node:assert/strict'
import { play, told } from './people.mjs'

const acts = /^(Run|Build|Check|Delete.*|Edit|Start.*|Stop.*|Abort|Keep|Save.*|New.*|Open.*|Test the connection)$/

await play(async ({ invite, step }) => {
  const ann = await invite('ann', told.address)
  const { page } = ann
  await step('who may act comes in, and is told', async () => {
    await ann.logIn(`${told.address}login`, 'ann')
    await page.locator('header').getByText('read-only').first().waitFor()
  })
  await step('no page lets her act', async () => {
    ann.expected.push(/status of 403 .*\/api\/v1\/scripts$/) // scripts are hidden here, and the pages say so
    const links = await page.getByRole('navigation', { name: 'Pages' }).getByRole('link').evaluateAll((all) => all.map((a) => a.getAttribute('href')))
    let found = 0
    for (const link of [...links, `#/jobs/${told.job}`]) {
      await ann.go(link)
      await page.reload() // else the page that was left is still there for a moment
      await ann.heading(/./)
      await page.waitForLoadState('networkidle')
      const buttons = page.locator('main').getByRole('button', { name: acts })
      found += await buttons.count()
      const enabled = await buttons.evaluateAll((all) => all.filter((button) => !button.matches(':disabled')).map((button) => button.innerText))
      assert.deepEqual(enabled, [], `${link} has buttons that act`)
    }
    assert.ok(found >= 5, `got ${found} buttons that would act`)
    await ann.look('read-only-job')
  })
  await step('the API lets her neither', async () => {
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
