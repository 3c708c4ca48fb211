// Watches a run for ten minutes, and looks at a run of three hours, with a processor that is four times slower.
import assert from 'node:assert/strict'
import { patience, play, told } from './people.mjs'

const slower = 4
/** The longest frame in milliseconds, and the growth of the heap in MB. */
const longest = 100
const growth = 10

await play(async ({ invite, step }) => {
  const ann = await invite('ann', told.address, { viewport: { width: 1440, height: 900 } })
  const { page } = ann
  await ann.logIn(told.link)
  const devtools = await ann.context.newCDPSession(page)
  const slow = (rate) => devtools.send('Emulation.setCPUThrottlingRate', { rate })
  /** The size of the heap in MB after a garbage collection, whose frames do not count. */
  const heap = async () => {
    await page.evaluate(() => (window.counting = false))
    await devtools.send('HeapProfiler.collectGarbage')
    const { usedSize } = await devtools.send('Runtime.getHeapUsage')
    await page.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))))
    await page.evaluate(() => (window.counting = true))
    return usedSize / 1e6
  }
  /** Records the time between frames, and the scripts of long ones. */
  const record = () =>
    page.evaluate(() => {
      window.frames60 = { longest: 0, over50: 0, over100: 0, scripts: [] }
      window.counting = true
      let last = performance.now()
      const frame = (now) => {
        if (window.counting) {
          const took = now - last
          window.frames60.longest = Math.max(window.frames60.longest, took)
          if (took > 50) window.frames60.over50++
          if (took > 100) window.frames60.over100++
        }
        last = now
        requestAnimationFrame(frame)
      }
      requestAnimationFrame(frame)
      new PerformanceObserver((list) => {
        for (const entry of list.getEntries()) {
          if (!window.counting || entry.duration < 80) continue
          const scripts = entry.scripts.map((one) => `${one.invoker} ${one.duration.toFixed(0)} ms, of it layout ${one.forcedStyleAndLayoutDuration.toFixed(0)}`)
          window.frames60.scripts.push(`${entry.duration.toFixed(0)} ms: ${scripts.join('; ')}, style and layout ${(entry.startTime + entry.duration - entry.styleAndLayoutStart).toFixed(0)} ms`)
        }
      }).observe({ type: 'long-animation-frame' })
    })
  const frames = () => page.evaluate(() => window.frames60)
  const chart = page.getByRole('figure', { name: 'Response times', exact: true })
  const line = (name) => chart.getByRole('button', { name: new RegExp(`^${name}`) })

  await step(`a live run for ${told.minutes} minutes`, async () => {
    await ann.go(`#/jobs/${told.live}`)
    await chart.locator('canvas').waitFor({ timeout: patience })
    await line('max').click()
    const { x, y, width, height } = await chart.locator('.drawing').boundingBox()
    await page.mouse.move(x + width / 2, y + height / 2)
    await slow(slower)
    await page.waitForTimeout(5000)
    await record()
    const heaps = []
    for (let minute = 1; minute <= told.minutes; minute++) {
      await page.waitForTimeout(60_000)
      heaps.push(await heap())
      const lost = await page.evaluate(() => {
        const figure = [...document.querySelectorAll('figure')].find((each) => each.querySelector('h2').textContent === 'Response times')
        return figure.querySelector('.key .line .value').textContent === '' || figure.querySelectorAll('.key [aria-pressed=false]').length !== 1
      })
      const { longest, over50, over100 } = await frames()
      console.log(`             minute ${minute}: heap ${heaps.at(-1).toFixed(1)} MB, longest frame ${longest.toFixed(0)} ms, ${over50} over 50 ms, ${over100} over 100 ms${lost ? ', pointer or legend lost' : ''}`)
      assert.ok(!lost, 'the crosshair or the hidden line is lost')
    }
    const found = await frames()
    for (const each of found.scripts.slice(0, 12)) console.log(`             ${each}`)
    assert.ok(Math.abs(heaps.at(-1) - heaps[0]) <= growth, `the heap went from ${heaps[0].toFixed(1)} to ${heaps.at(-1).toFixed(1)} MB`)
    assert.ok(found.longest <= longest, `the longest frame took ${found.longest.toFixed(0)} ms`)
  })

  await step('a run of three hours', async () => {
    await slow(slower)
    const begun = performance.now()
    await page.goto('about:blank')
    await ann.go(`#/jobs/${told.hours}`)
    await chart.locator('canvas').waitFor({ timeout: patience })
    console.log(`             drawn after ${(performance.now() - begun).toFixed(0)} ms`)
    await page.waitForTimeout(3000)
    await record()
    const { x, y, width, height } = await chart.locator('.drawing').boundingBox()
    await page.mouse.move(x + width * 0.3, y + height / 2)
    await page.mouse.down()
    await page.mouse.move(x + width * 0.6, y + height / 2, { steps: 30 })
    await page.mouse.up()
    await page.waitForURL((url) => url.hash.includes('from='))
    await chart.locator('.drawing').focus()
    for (const key of ['+', '+', 'ArrowRight', 'ArrowRight', 'ArrowLeft', '-', '0']) {
      await page.keyboard.press(key)
      await page.waitForTimeout(1200)
    }
    const found = await frames()
    console.log(`             dragging and zooming: longest frame ${found.longest.toFixed(0)} ms, ${found.over50} over 50 ms`)
    for (const each of found.scripts.slice(0, 12)) console.log(`             ${each}`)
    assert.ok(found.longest <= 2 * longest, `the longest frame took ${found.longest.toFixed(0)} ms`)
  })
})
