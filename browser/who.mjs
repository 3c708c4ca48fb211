// Tests logins and the rights of users, with a browser's handling of cookies, origins and the
// Content-Security-Policy.
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { ask, patience, play, told } from './people.mjs'

/** Sends a request to the API from the page of a person, and returns its status. */
const fetched = (person, method, path, body) =>
  person.page.evaluate(
    async ([method, path, body]) => {
      const answer = await fetch(new URL(path, document.baseURI), { method, body, headers: body === undefined ? {} : { 'Content-Type': 'application/json' } })
      return answer.status
    },
    [method, path, body],
  )

await play(async ({ invite, step }) => {
  const ann = await invite('ann', told.address)
  const lou = await invite('lou', told.address)

  await step('a stranger sees only the form', async () => {
    const stranger = await invite('stranger', told.address)
    await stranger.page.goto(told.address)
    await stranger.page.getByRole('button', { name: 'Log in' }).waitFor()
    await stranger.look('login')
    stranger.expected.push(/status of 401/)
    await stranger.page.getByLabel('User').fill('ann')
    await stranger.page.getByLabel('Password').fill('not her password')
    await stranger.page.getByRole('button', { name: 'Log in' }).click()
    await stranger.page.getByText('The name or the password is wrong.').waitFor()
    await stranger.look('login-refused')
    assert.equal(await fetched(stranger, 'GET', 'api/v1/jobs'), 401)
  })

  const guest = await invite('guest', told.address)
  await step('a log-in leads back to the requested page', async () => {
    await guest.page.goto(`${told.address}#/jobs?status=failed`)
    await guest.page.getByLabel('User').fill('lou')
    await guest.page.getByLabel('Password').fill(told.password)
    await guest.page.getByRole('button', { name: 'Log in' }).click()
    await guest.heading('Jobs')
    assert.equal(new URL(guest.page.url()).hash, '#/jobs?status=failed')
  })

  await step('ann, who may act, and lou, who may look, log in', async () => {
    await ann.logIn(told.address, 'ann')
    await lou.logIn(told.address, 'lou')
    const cookies = await ann.context.cookies()
    assert.deepEqual(cookies.map((c) => [c.httpOnly, c.sameSite]), [[true, 'Strict']])
    assert.equal(await ann.page.evaluate(() => document.cookie), '', 'a script can read the cookie')
  })

  await step('lou may look and not act', async () => {
    lou.expected.push(/status of 403/)
    assert.equal(await fetched(lou, 'GET', 'api/v1/jobs'), 200)
    assert.equal(await fetched(lou, 'POST', 'api/v1/jobs', JSON.stringify({ action: 'run', settings: { db: 'sqlite' } })), 403)
    assert.equal(await fetched(lou, 'DELETE', `api/v1/jobs/${told.job}`), 403)
    assert.equal(await fetched(ann, 'GET', `api/v1/jobs/${told.job}`), 200, 'the job is gone')
  })

  await step('the settings page shows the server to ann, and to lou only her account', async () => {
    const { page } = ann
    await ann.go('#/settings')
    await ann.heading('Settings')
    await page.getByRole('heading', { name: 'User accounts' }).waitFor()
    await page.getByRole('cell', { name: 'look', exact: true }).waitFor()
    await page.getByText('Settings of the console').click()
    await page.getByLabel('virtual_users').fill('8')
    await page.getByRole('button', { name: 'Set', exact: true }).click()
    await page.getByText('Changed virtual_user_options:virtual_users from 1 to 8 for generic').waitFor()
    await ann.look('settings')
    await page.getByRole('radio', { name: /^Local time/ }).check()
    await ann.go('#/jobs')
    await page.getByRole('columnheader', { name: 'begun (local time)' }).first().waitFor()
    await ann.go('#/settings')
    await page.getByRole('radio', { name: /^UTC/ }).check()
    await ann.go('#/jobs')
    await page.getByRole('columnheader', { name: 'begun (UTC)' }).first().waitFor()
    assert.equal(await fetched(lou, 'GET', 'api/v1/console/settings'), 403)
    await lou.go('#/settings')
    await lou.page.getByText('Only users with the role act see').waitFor()
    assert.equal(await lou.page.getByText(told.folder).count(), 0, 'who may look sees where things are kept')
    await lou.look('settings-look')
  })

  await step('lou sees the names of files, and not their folders', async () => {
    for (const path of [`jobs/${told.job}`, 'jobs', `jobs/${told.job}/report`, `jobs/${told.job}/export?format=json`, `jobs/${told.job}/output`, 'datagen', 'connections']) {
      const text = async (person) => (await person.page.request.get(`${told.address}api/v1/${path}`)).text()
      const [seen, whole] = [await text(lou), await text(ann)]
      assert.ok(!seen.includes(told.folder), `lou sees the folder in ${path}`)
      if (path === `jobs/${told.job}`) assert.ok(seen.includes('…/t.sqlite') && whole.includes(`${told.folder}/t.sqlite`), `${path} does not name the file: ${seen}`)
    }
    await lou.go(`#/jobs/${told.job}?tab=details`)
    await lou.page.getByText('…/t.sqlite').first().waitFor()
    assert.equal(await lou.page.getByText(told.folder).count(), 0)
  })

  await step('lou changes her password, and is logged out elsewhere', async () => {
    const { page } = lou
    await lou.go('#/settings')
    await page.getByText('1 other browser').waitFor()
    await page.getByText('Change your password').click()
    await page.getByLabel('Old password').fill('not her password')
    await page.getByLabel('New password').fill('another password')
    await page.getByLabel('Repeat the password').fill('another password')
    await page.getByRole('button', { name: 'Change', exact: true }).click()
    await page.getByText('The old password is wrong.').waitFor()
    await lou.look('settings-refused')
    await page.getByLabel('Old password').fill(told.password)
    await page.getByRole('button', { name: 'Change', exact: true }).click()
    await page.getByText('The password is changed.').waitFor()
    guest.expected.push(/status of 401/)
    assert.equal(await fetched(guest, 'GET', 'session'), 401)
    assert.equal(await fetched(lou, 'GET', 'session'), 200)
  })

  // A site of another owner on another port of this machine: for a browser it is another origin but
  // the same site, so SameSite alone would not refuse its requests.
  await step('a page of another origin changes nothing', async () => {
    const page = `<!doctype html><title>elsewhere</title>
      <form method="post" action="${told.address}logout"><button>out</button></form>
      <form id="job" method="post" enctype="text/plain" action="${told.address}api/v1/jobs"><input name='{"action":"run","settings":{"db":"sqlite"},"x":"' value='"}'><button>job</button></form>
      <iframe src="${told.address}"></iframe><img src="${told.address}icon.svg"><script src="${told.address}api/v1/jobs"></script>`
    const elsewhere = createServer((_, answer) => answer.setHeader('Content-Type', 'text/html').end(page))
    await new Promise((listening) => elsewhere.listen(0, '127.0.0.1', listening))
    try {
      const tab = await ann.context.newPage()
      const said = []
      ann.expected.push(/frame-ancestors|Framing|net::ERR_BLOCKED_BY|ERR_FAILED|CORS|status of 403|X-Frame-Options|MIME type/)
      ann.elsewhere = `http://127.0.0.1:${elsewhere.address().port}`
      await tab.goto(ann.elsewhere)
      for (const [method, path, headers] of [
        ['POST', 'api/v1/jobs', { 'Content-Type': 'text/plain' }],
        ['POST', 'api/v1/jobs', { 'Content-Type': 'application/json' }],
        ['DELETE', `api/v1/jobs/${told.job}`, {}],
        ['POST', 'logout', {}],
      ]) {
        said.push(
          await tab.evaluate(
            async ([url, method, headers]) => {
              // With no-cors a browser sends what a form could send, and hides the response.
              const outcomes = []
              for (const mode of ['cors', 'no-cors']) {
                outcomes.push(await fetch(url, { method, mode, headers, credentials: 'include', body: method === 'POST' ? '{"action":"run","settings":{"db":"sqlite"}}' : undefined }).then((r) => r.status, () => 'nothing'))
              }
              return outcomes.join(' ')
            },
            [told.address + path, method, headers],
          ),
        )
      }
      assert.ok(said.every((s) => /^nothing (nothing|0)$/.test(s)), `another origin reads answers: ${said.join(', ')}`)
      for (const form of ['out', 'job']) {
        await tab.goto(ann.elsewhere)
        await tab.getByRole('button', { name: form }).click()
        await tab.getByText('page of another site').first().waitFor({ timeout: patience })
      }
      await tab.goto(ann.elsewhere)
      const frame = tab.frames().find((f) => f !== tab.mainFrame())
      assert.ok(!(await frame?.content().catch(() => ''))?.includes('id="app"'), 'the pages can be framed')
      await tab.close()
    } finally {
      elsewhere.close()
    }
    await ann.page.reload()
    assert.equal(await fetched(ann, 'GET', `api/v1/jobs/${told.job}`), 200, 'ann was logged out, or the job is gone')
    await ask('nothing-was-started')
  })

  await step('a stolen cookie is not valid after log-out', async () => {
    const [cookie] = await ann.context.cookies()
    const thief = await invite('thief', told.address)
    thief.expected.push(/status of 401/)
    await thief.context.addCookies([cookie])
    await thief.page.goto(`${told.address}session`)
    await thief.page.getByText('"user":"ann"').waitFor()
    await ann.page.goto(told.address)
    await ann.page.waitForLoadState('networkidle') // otherwise requests of the page would be refused after the log-out
    assert.equal(await fetched(ann, 'POST', 'logout'), 200)
    thief.expected.push(/status of 401/)
    await thief.page.goto(`${told.address}session`)
    await thief.page.getByText('log in, or send a token').waitFor()
    await ann.page.goto(told.address)
    await ann.page.getByRole('button', { name: 'Log in' }).waitFor()
  })

  await step('a removed user is logged out at once', async () => {
    lou.expected.push(/status of 401/)
    await ask('remove-lou')
    assert.equal(await fetched(lou, 'GET', 'api/v1/jobs'), 401)
  })

  await step('no path leads to a file outside the pages', async () => {
    const raw = await invite('raw', told.address)
    await raw.logIn(told.address, 'ann')
    for (const path of ['../web-users.json', '..%2fweb-users.json', '%2e%2e/web-users.json', 'assets/..%5c..%5cweb-users.json', 'api/v1/jobs/..%2f..%2fweb-users.json', 'assets/', 'index.html%00.js', 'api/v1/../../session%0d%0aX:y']) {
      raw.expected.push(/status of (400|404)/)
      const answer = await raw.page.request.get(told.address + path, { maxRedirects: 5 }).catch(() => undefined)
      const text = (await answer?.text()) ?? ''
      assert.ok(!text.includes('argon2') && !text.includes('"password"'), `${path} leads to a file of the server's`)
      assert.ok(answer === undefined || answer.status() < 500, `${path}: ${answer?.status()}`)
    }
  })
})
