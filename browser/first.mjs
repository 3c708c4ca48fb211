// Tests the ways from an empty repository to a first number.
import assert from 'node:assert/strict'
import { patience, play, told } from './people.mjs'

await play(async ({ invite, step }) => {
  const ann = await invite('ann', told.address)
  const { page } = ann
  const field = (name) => page.locator(`#option-${name}`)

  await step('the first page offers three ways', async () => {
    await ann.logIn(told.link)
    await page.getByRole('heading', { name: 'Try it now' }).waitFor({ timeout: patience })
    await page.getByRole('button', { name: 'PostgreSQL', exact: true }).waitFor()
    await ann.look('start-empty')
  })

  await step('one click leads to a number', async () => {
    const begun = performance.now()
    await page.getByRole('button', { name: 'Try it on SQLite' }).click()
    await page.getByRole('heading', { name: /^Build TPROC-C on SQLite/ }).waitFor()
    const figures = page.getByRole('list', { name: 'Figures so far' })
    await figures.locator('strong').first().waitFor({ timeout: 60_000 })
    console.log(`             the first number after ${((performance.now() - begun) / 1000).toFixed(1)} s`)
    await page.getByRole('button', { name: 'Run again' }).waitFor({ timeout: 60_000 })
    await page.getByRole('list', { name: 'Figures', exact: true }).getByText('NOPM').first().waitFor()
  })

  await step('Start and a job load little, and little on them moves', async () => {
    const job = new URL(page.url()).hash
    for (const [hash, there, most] of [['#/start', 'main tbody tr polyline', 60], [job, 'main figure canvas', 250]]) {
      const { kib, shift, moved } = await ann.weigh(hash, there)
      console.log(`             ${hash} loads ${kib.toFixed(1)} KiB; its layout shift is ${shift.toFixed(3)}`)
      assert.ok(kib <= most, `${hash} loads ${kib.toFixed(1)} KiB, want at most ${most}`)
      assert.ok(shift < 0.05, `the layout shift of ${hash} is ${shift}, want less than 0.05:\n${moved.join('\n')}`)
    }
  })

  await step('another click runs it again, without a build', async () => {
    await ann.go('#/start')
    await page.getByRole('link', { name: 'Run TPROC-C on SQLite, 2 users' }).first().waitFor()
    await ann.look('start')
    const before = new URL(page.url()).hash
    await page.getByRole('button', { name: 'Try it on SQLite' }).click()
    await page.waitForURL((url) => /^#\/jobs\/[0-9A-F]+$/.test(url.hash) && url.hash !== before)
    await page.getByRole('button', { name: 'Abort', exact: true }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Abort the run' }).click()
    await page.getByRole('button', { name: 'Run again' }).waitFor({ timeout: 60_000 })
  })

  await step('Ctrl-K finds pages, jobs and the manual', async () => {
    const press = (key) => page.keyboard.press(key)
    await press('Control+k')
    await page.getByRole('combobox', { name: /^Page, job, option/ }).waitFor()
    await page.keyboard.type('sched')
    await page.getByRole('option', { name: 'Schema' }).waitFor({ state: 'detached' })
    await press('Control+a')
    await page.keyboard.type('sqlite')
    await page.getByRole('group', { name: 'Jobs' }).getByRole('option').first().waitFor()
    await page.getByRole('group', { name: 'Manual' }).getByRole('option').first().waitFor()
    for (const violation of await ann.violations()) ann.fault(`the palette: ${violation}`)
    await press('ArrowDown')
    await press('ArrowUp')
    await press('Enter')
    await page.waitForURL((url) => /^#\/jobs\/[0-9A-F]+$/.test(url.hash))
    await press('Control+k')
    await page.getByRole('option', { name: 'Schema Test' }).click()
    await page.waitForURL((url) => url.hash === '#/schema')
    assert.equal(await page.getByRole('dialog').count(), 0)
  })

  await step('a database leads to the first field of its connection', async () => {
    await ann.go('#/start')
    await page.getByRole('button', { name: 'PostgreSQL', exact: true }).click()
    await field('host').waitFor()
    await page.waitForFunction(() => document.activeElement?.id === 'option-host')
  })

  await step('a script brings its settings', async () => {
    await ann.go('#/start')
    await page.getByRole('heading', { name: 'Bring your HammerDB script' }).waitFor() // the page before has such a field, too
    await page.locator('.ways input[type=file]').setInputFiles({ name: 'run.tcl', mimeType: 'text/plain', buffer: Buffer.from('dbset db pg\ndbset bm TPC-C\ndiset connection pg_host shop.example\ndiset tpcc pg_count_ware 40\n') })
    await page.waitForURL((url) => url.hash === '#/setup')
    await field('warehouses').waitFor()
    assert.deepEqual([await field('host').inputValue(), await field('warehouses').inputValue()], ['shop.example', '40'])
  })

  await step('three clicks and three fields lead to a number on a PostgreSQL with nothing built', async () => {
    const begun = performance.now()
    await ann.go('#/start')
    await page.getByRole('button', { name: 'PostgreSQL', exact: true }).click()
    for (const [name, value] of Object.entries(told.postgresql)) await field(name).fill(value)
    await page.getByRole('button', { name: 'Run', exact: true }).click() // it tests first, and finds nothing
    await page.getByRole('button', { name: 'Build, then run', exact: true }).click({ timeout: patience })
    await page.getByRole('list', { name: 'Figures so far' }).locator('strong').first().waitFor({ timeout: 300_000 }) // how fast is a figure of an idle machine
    const took = (performance.now() - begun) / 1000
    console.log(`             the first number on PostgreSQL after ${took.toFixed(1)} s`)
    await page.getByRole('button', { name: 'Abort', exact: true }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Abort the run' }).click()
    await page.getByRole('button', { name: 'Run again' }).waitFor({ timeout: 60_000 })
  })
})
