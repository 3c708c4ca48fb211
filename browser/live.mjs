// Tests that the page of a run keeps what its reader does, and becomes the record when the run ends.
import assert from 'node:assert/strict'
import { patience, play, told } from './people.mjs'

await play(async ({ invite, step }) => {
  const ann = await invite('ann', told.address)
  const { page } = ann
  await ann.logIn(`${told.address}login`, 'ann')
  const chart = page.getByRole('figure', { name: 'Response times', exact: true })
  const line = (name) => chart.getByRole('button', { name: new RegExp(`^${name}`) })
  const drawing = chart.locator('.drawing')
  /** The value of a line at the crosshair; "" without a crosshair. */
  const value = (name) => line(name).locator('.value').innerText()
  const zoom = () => page.locator('.zoom [role=status]').innerText()
  /** The number of rows of the chart's table, which grows with each second. */
  const rows = async () => Number(/\d+/.exec(await chart.locator('summary').innerText())[0])
  const later = async (more) => {
    const wanted = (await rows()) + more
    await page.waitForFunction(
      (wanted) => [...document.querySelectorAll('figure summary')].some((summary) => Number(/\d+/.exec(summary.textContent)?.[0]) >= wanted),
      wanted,
      { timeout: patience },
    )
  }

  await step('open a running run', async () => {
    await ann.go(`#/run/${told.run}`) // as in an old link
    await page.getByRole('list', { name: 'Figures so far' }).waitFor({ timeout: patience })
    assert.equal(new URL(page.url()).hash, `#/jobs/${told.run}`)
    await chart.locator('canvas').waitFor()
    await later(10)
  })

  await step('the crosshair, a hidden line and the scroll position survive each second', async () => {
    await line('max').click()
    const { x, y, width, height } = await drawing.boundingBox()
    await page.mouse.move(x + width / 2, y + height / 2)
    await page.waitForFunction(() => [...document.querySelectorAll('.key .value')].some((each) => each.textContent !== ''))
    const scrolled = await page.evaluate(() => scrollY)
    // It is looked at ten times in each second, not only when it is over.
    const lost = await page.evaluate(async () => {
      const lost = []
      for (let n = 0; n < 60; n++) {
        await new Promise((done) => setTimeout(done, 100))
        const figure = [...document.querySelectorAll('figure')].find((each) => each.querySelector('h2').textContent === 'Response times')
        const [p50] = figure.querySelectorAll('.key .line')
        if (p50.querySelector('.value').textContent === '') lost.push(`${n}: no value`)
        if (figure.querySelectorAll('.key [aria-pressed=false]').length !== 1) lost.push(`${n}: the line is back`)
      }
      return lost
    })
    assert.deepEqual(lost, [])
    assert.equal(await page.evaluate(() => scrollY), scrolled)
    assert.match(await value('p99'), /ms$/)
    assert.equal(await value('max'), '')
    // All charts show the same moment.
    const other = page.getByRole('figure', { name: 'Throughput', exact: true }).locator('.key .value').first()
    assert.match(await other.innerText(), /a minute$/)
    await line('max').click()
  })

  await step('a dragged part stays, is in the address, and survives a reload', async () => {
    const { x, y, width, height } = await drawing.boundingBox()
    await page.mouse.move(x + width * 0.3, y + height / 2)
    await page.mouse.down()
    await page.mouse.move(x + width * 0.8, y + height / 2, { steps: 5 })
    await page.mouse.up()
    await page.waitForURL((url) => /from=[\d.]+&until=[\d.]+/.test(url.hash))
    const [part] = (await zoom()).split(' of ')
    await later(2)
    assert.equal((await zoom()).split(' of ')[0], part)
    await page.reload()
    await chart.locator('canvas').waitFor({ timeout: patience })
    assert.equal((await zoom()).split(' of ')[0], part)
    await drawing.dblclick()
    await page.waitForURL((url) => !url.hash.includes('from='))
  })

  await step('the keyboard moves the crosshair and zooms, and keeps the focus', async () => {
    await drawing.focus()
    await page.keyboard.press('End')
    await page.keyboard.press('ArrowLeft')
    const said = chart.locator('p[role=status]')
    await page.waitForFunction(() => [...document.querySelectorAll('figure p[role=status]')].some((each) => /^At [\d.]+ s, p50 /.test(each.textContent)))
    const before = await said.innerText()
    await page.keyboard.press('ArrowLeft')
    await page.waitForFunction((before) => [...document.querySelectorAll('figure p[role=status]')].some((each) => each.textContent !== '' && each.textContent !== before), before)
    await page.keyboard.press('+')
    await page.waitForURL((url) => url.hash.includes('from='))
    await later(1)
    assert.ok(await drawing.evaluate((element) => element === document.activeElement), 'the chart lost the focus')
    await page.keyboard.press('0')
    await page.waitForURL((url) => !url.hash.includes('from='))
  })

  await step('an earlier run stands behind the live one', async () => {
    await page.getByLabel('Baseline').selectOption({ index: 1 })
    await page.waitForURL((url) => url.hash.includes(`baseline=${told.earlier}`))
    await chart.getByRole('button', { name: 'p95, kernel 6.11' }).waitFor()
    await page.getByText(/^[+−]?[\d.]+ % against kernel 6\.11 \(one run each\)$/).waitFor({ timeout: patience })
  })

  const listed = page.getByRole('region', { name: 'Events and notes' })
  await step('a note at the crosshair is in the chart and in the list, and no markup', async () => {
    await drawing.focus()
    await page.keyboard.press('End')
    await page.keyboard.press('n')
    const dialog = page.getByRole('dialog', { name: 'Add a note' })
    await dialog.getByLabel('Text').fill('backup <b>begins</b>')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await listed.getByText('backup <b>begins</b>').waitFor({ timeout: patience })
    const text = chart.locator('.marks > .text').getByText('backup <b>begins</b>')
    for (let tries = 0; tries < 20 && !(await text.isVisible()); tries++) { // the sign moves each second, away from the pointer
      await chart.locator('.marks > .note').hover()
      await text.waitFor({ timeout: 1000 }).catch(() => {})
    }
    await text.waitFor()
    await listed.getByText('The measured time begins').waitFor()
    await later(1)
    assert.equal(await chart.locator('.marks > .note').count(), 1)
  })

  await step('an open question ends with the run, and the page becomes the record', async () => {
    await line('p50').click()
    await page.getByRole('button', { name: 'Stop', exact: true }).click()
    await page.getByRole('dialog').waitFor()
    await page.getByRole('button', { name: 'Run again' }).waitFor({ state: 'attached', timeout: 90_000 })
    assert.equal(await page.getByRole('dialog').count(), 0)
    // The largest figure is that of the result, and the lines that were hidden still are.
    const answer = await (await page.request.get(`${told.address}api/v1/jobs/${told.run}`)).json()
    const first = page.getByRole('list', { name: 'Figures', exact: true }).locator('strong').first()
    assert.equal(await first.innerText(), Math.trunc(answer.metrics[0].value).toLocaleString('en-US'))
    assert.equal(await line('p50').getAttribute('aria-pressed'), 'false')
    assert.equal(await page.getByText(/\d running/).count(), 0)
    await listed.getByText('The measured time is over').waitFor({ timeout: patience })
    await listed.getByText('backup <b>begins</b>').waitFor()
  })
})
