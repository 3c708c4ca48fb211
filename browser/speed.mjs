// Measures how soon pages have content, and how many bytes they load.
import assert from 'node:assert/strict'
import { play, told } from './people.mjs'

/** The time until the first content, in milliseconds, that the median of the rounds must not exceed. */
const quick = 300
/** The same for charts, whose library is as large as the rest of the application. */
const curves = 500
const rounds = 11

await play(async ({ invite, step }) => {
  const ann = await invite('ann', told.address)
  const { page } = ann
  await ann.logIn(told.link)
  const devtools = await ann.context.newCDPSession(page)
  await devtools.send('Network.enable')
  let received = 0
  devtools.on('Network.loadingFinished', ({ encodedDataLength }) => (received += encodedDataLength))
  // The page itself records when the wanted element is drawn.
  await page.addInitScript(() => {
    if (location.protocol === 'about:') return
    const look = () => {
      const wanted = document.querySelector(sessionStorage.getItem('wanted') ?? 'main table tbody tr')
      if (wanted !== null) requestAnimationFrame(() => setTimeout(() => (window.drawn = performance.now())))
      else requestAnimationFrame(look)
    }
    look()
  })

  const median = (all) => all.toSorted((a, b) => a - b)[(all.length - 1) / 2]

  /** Opens a page several times, and returns the times until the wanted element was drawn, in ms; cold is without the browser's cache. */
  const opens = async (hash, wanted, cold) => {
    await page.evaluate((w) => sessionStorage.setItem('wanted', w), wanted)
    const took = []
    for (let n = 0; n < rounds; n++) {
      await devtools.send('Network.setCacheDisabled', { cacheDisabled: cold })
      await page.goto('about:blank')
      received = 0
      await page.goto(new URL(hash, told.address).href)
      await page.waitForFunction(() => window.drawn > 0)
      took.push(await page.evaluate(() => window.drawn))
      await page.waitForLoadState('networkidle')
    }
    return took
  }
  const views = [
    ['the first page', '', 'main h1', 60],
    ['the index of 5,000 jobs', '#/jobs', 'main table tbody tr', 100],
    ['a job of a day', `#/jobs/${told.day}`, 'main h1 ~ *', 250],
    ['the curves of a job of a day', `#/jobs/${told.day}`, 'main figure canvas', 250, curves],
  ]
  for (const [what, hash, wanted, most, limit = quick] of views) {
    await step(what, async () => {
      const cold = await opens(hash, wanted, true)
      const over = received
      const warm = await opens(hash, wanted, false)
      const figures = (all) => `${median(all).toFixed(0)} ms (${Math.min(...all).toFixed(0)} to ${Math.max(...all).toFixed(0)})`
      console.log(`             ${what}: shown after ${figures(cold)}, with the browser's cache after ${figures(warm)}; ${(over / 1024).toFixed(0)} KiB loaded`)
      assert.ok(over <= 1024 * most, `${what}: ${(over / 1024).toFixed(0)} KiB loaded, want at most ${most}`)
      assert.ok(median(cold) <= limit, `${what}: shown after ${figures(cold)}, want at most ${limit} ms`)
    })
  }
  await step('zooming in on a job of a day', async () => {
    await ann.go(`#/jobs/${told.day}`)
    const shown = page.locator('.zoom [role=status]')
    await shown.waitFor()
    const took = []
    for (let n = 0; n < rounds; n++) {
      const before = await shown.innerText()
      took.push(
        await page.evaluate(
          async ([name, points]) => {
            const begun = performance.now()
            ;[...document.querySelectorAll('.zoom button')].find((button) => (button.ariaLabel ?? button.textContent) === name).click()
            // The status shows the number of points, which differs between parts of the run.
            while (document.querySelector('.zoom [role=status]').textContent.includes(points)) await new Promise((drawn) => requestAnimationFrame(drawn))
            return performance.now() - begun
          },
          [n % 2 === 0 ? 'Zoom in' : 'Whole run', before.split(',').at(-1)],
        ),
      )
    }
    console.log(`             zooming in: ${median(took).toFixed(0)} ms (${Math.min(...took).toFixed(0)} to ${Math.max(...took).toFixed(0)})`)
    assert.ok(median(took) <= quick)
  })
  await step('searching among 5,000 jobs', async () => {
    await ann.go('#/jobs')
    await page.getByRole('searchbox').waitFor() // the page before has tables, too
    await page.locator('main table tbody tr').first().waitFor()
    const took = []
    for (let n = 0; n < rounds; n++) {
      took.push(
        await page.evaluate(
          async (text) => {
            const begun = performance.now()
            const search = document.querySelector('input[type=search]')
            search.value = text
            search.dispatchEvent(new Event('input', { bubbles: true }))
            const found = () => document.querySelector('main table') !== null
            for (const before = found(); found() === before; ) await new Promise((drawn) => requestAnimationFrame(drawn))
            return performance.now() - begun
          },
          n % 2 === 0 ? 'no such job' : '',
        ),
      )
    }
    console.log(`             searching: ${median(took).toFixed(0)} ms (${Math.min(...took).toFixed(0)} to ${Math.max(...took).toFixed(0)}), including the delay of 200 ms while people type`)
    assert.ok(median(took) <= quick + 200)
  })
  await step('scrolling through the jobs', async () => {
    await ann.go('#/jobs')
    await page.getByRole('searchbox').waitFor() // the page before has tables, too
    await page.locator('main table tbody tr').first().waitFor()
    // The number of frames during the scrolling that took longer than three frames of a screen with
    // 60 Hz.
    const slow = await page.evaluate(async () => {
      const frames = []
      let last = performance.now()
      for (let n = 0; n < 60; n++) {
        scrollBy(0, 120)
        await new Promise((drawn) => requestAnimationFrame(drawn))
        const now = performance.now()
        frames.push(now - last)
        last = now
      }
      return frames.filter((ms) => ms > 50).length
    })
    assert.ok(slow <= 6, `${slow} of 60 frames were late`)
  })
})
