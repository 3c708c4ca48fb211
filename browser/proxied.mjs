// Tests the pages behind a proxy with a path: all requests stay below the path, and events arrive
// at once.
import assert from 'node:assert/strict'
import { play, told } from './people.mjs'

await play(async ({ invite, step }) => {
  const ann = await invite('ann', told.address)
  const outside = []
  ann.page.on('request', (request) => {
    if (!new URL(request.url()).pathname.startsWith('/sledge/')) outside.push(request.url())
  })
  await step('log in below the path of a proxy', async () => {
    await ann.logIn(`${told.address}login`, 'ann')
    const [cookie] = await ann.context.cookies()
    assert.equal(cookie.path, '/sledge/')
  })
  await step('look at a job', async () => {
    await ann.go('#/jobs')
    await ann.page.getByRole('table').getByRole('link').first().click()
    await ann.page.waitForURL(/#\/jobs\/[0-9A-F]+/)
    await ann.heading(/./)
  })
  await step('events arrive at once', async () => {
    const job = /jobs\/([0-9A-F]+)/.exec(ann.page.url())[1]
    const took = await ann.page.evaluate(
      (job) =>
        new Promise((done, fail) => {
          const begun = performance.now()
          const events = new EventSource(new URL(`api/v1/jobs/${job}/events`, document.baseURI))
          events.addEventListener('over', () => {
            events.close()
            done(performance.now() - begun)
          })
          events.onerror = () => fail(new Error('the stream was interrupted'))
        }),
      job,
    )
    assert.ok(took < 5000, `the events took ${took} ms`)
  })
  await step('log out', async () => {
    ann.expected.push(/status of 401/) // the page may be loading something
    await ann.page.evaluate(() => fetch(new URL('logout', document.baseURI), { method: 'POST' }))
    await ann.page.goto(told.address)
    await ann.page.waitForURL(/\/sledge\/login$/)
  })
  assert.deepEqual(outside, [])
})
