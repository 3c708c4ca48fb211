// Tests that pages show texts of other users as texts, and never interpret them as markup.
import assert from 'node:assert/strict'
import { play, told } from './people.mjs'

await play(async ({ invite, step }) => {
  const ann = await invite('ann', told.address)
  await ann.logIn(`${told.address}login`, 'ann')
  const { page } = ann

  /** Waits until a page has loaded its data, and fails if it contains elements from the texts. */
  const harmless = async (what) => {
    await page.waitForLoadState('networkidle')
    const made = await page.locator('[data-hostile], img[src="x"], a[href^="javascript:"]').count()
    assert.equal(made, 0, `${what} interpreted a text as markup`)
  }
  /** Fails if a text that turns its direction shares its isolate with another text, which it would turn, too. */
  const isolated = async (what) => {
    const found = await page.evaluate(() => {
      const texts = document.createTreeWalker(document.querySelector('main'), NodeFilter.SHOW_TEXT, (node) => (node.data.includes('\u202e') ? NodeFilter.FILTER_ACCEPT : NodeFilter.FILTER_SKIP))
      const all = []
      while (texts.nextNode()) {
        const { parentElement, data } = texts.currentNode
        const { unicodeBidi } = getComputedStyle(parentElement)
        all.push({ alone: parentElement.textContent === data && /isolate|plaintext/.test(unicodeBidi), html: parentElement.outerHTML.slice(0, 100) })
      }
      return all
    })
    assert.ok(found.length > 0, `${what} shows no text that turns`)
    assert.deepEqual(found.filter(({ alone }) => !alone), [], `${what} does not isolate a text`)
  }
  /** Opens all details elements. */
  const unfold = () => page.evaluate(() => document.querySelectorAll('details').forEach((d) => (d.open = true)))

  await step('the list of jobs', async () => {
    await ann.go('#/jobs')
    await page.getByRole('table').first().waitFor()
    await isolated('the list of jobs')
    await page.getByRole('searchbox').fill('<img')
    await harmless('the list of jobs')
    await ann.go(`#/jobs?text=${encodeURIComponent('"><img src=x onerror=alert(1)><b data-hostile>')}`)
    await harmless('a filter from the address')
  })
  for (const job of told.jobs) {
    await step(`job ${job}`, async () => {
      for (const tab of ['', 'failures', 'users', 'details']) {
        await ann.go(`#/jobs/${job}?tab=${tab}`)
        await page.locator('.title .status').waitFor()
        await unfold()
        await harmless(`${tab} of job ${job}`)
        if (tab === 'details') await isolated(`job ${job}`)
      }
      await page.getByText(job.slice(0, 12)).first().waitFor()
      // The page shows it as text.
      await page.locator('main').getByText('data-hostile').first().waitFor({ state: 'attached' })
      await ann.look(`hostile-${told.jobs.indexOf(job)}`)
    })
  }
  await step('reports', async () => {
    // People open saved reports from files, without the server's Content-Security-Policy.
    const reader = await ann.context.newPage()
    for (const job of told.jobs) {
      const answer = await page.request.get(`${told.address}api/v1/jobs/${job}/report`)
      assert.equal(answer.status(), 200, `the report of ${job}: ${answer.status()}`)
      await reader.setContent(await answer.text())
      assert.equal(await reader.locator('[data-hostile], img[src="x"], a[href^="javascript:"]').count(), 0, `the report of ${job} interpreted a text as markup`)
      await reader.getByText('data-hostile').first().waitFor({ state: 'attached' })
    }
    await reader.close()
  })
  await step('every page of the navigation', async () => {
    const links = await page.locator('header li a').evaluateAll((all) => all.map((a) => a.getAttribute('href')))
    assert.ok(links.length > 0)
    for (const link of links) {
      await ann.go(link)
      await ann.heading(/./)
      await harmless(link)
    }
  })
  await step('an address of no page', async () => {
    await ann.go('#/%3Cimg%20src=x%20onerror=alert(1)%3E%3Cb%20data-hostile%3E')
    await ann.heading(/./)
    await harmless('an address of no page')
  })
})
