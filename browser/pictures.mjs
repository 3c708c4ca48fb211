// Takes the pictures of the manual from the running program. Chromium encodes them as WebP.
import assert from 'node:assert/strict'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ask, patience, play, told } from './people.mjs'

const width = 1280

await play(async ({ browser, invite, step }) => {
  const ann = await invite('ann', told.address, { viewport: { width, height: 800 } })
  const { page } = ann
  await ann.logIn(`${told.address}login`, 'ann')
  await mkdir(told.pictures, { recursive: true })
  const darkroom = await (await browser.newContext()).newPage()

  /** Takes a picture of the window. */
  const take = async (name) => {
    const shot = await page.screenshot()
    const webp = await darkroom.evaluate(async (png) => {
      const image = await createImageBitmap(await (await fetch(`data:image/png;base64,${png}`)).blob())
      const canvas = new OffscreenCanvas(image.width, image.height)
      canvas.getContext('2d').drawImage(image, 0, 0)
      const reader = new FileReader()
      reader.readAsDataURL(await canvas.convertToBlob({ type: 'image/webp', quality: 0.85 }))
      await new Promise((read) => (reader.onload = read))
      return reader.result.replace(/^.*,/, '')
    }, shot.toString('base64'))
    await writeFile(join(told.pictures, `${name}.webp`), Buffer.from(webp, 'base64'))
  }
  /** Waits until the charts are drawn. */
  const drawn = () => page.waitForTimeout(1500)

  /** Shows a page and takes its picture. before prepares the page. */
  const show = (name, hash, { height = 800, before } = {}) =>
    step(name, async () => {
      await page.setViewportSize({ width, height })
      await ann.go(hash)
      await page.locator('main h1').first().waitFor()
      await page.waitForLoadState('networkidle')
      await before?.()
      await page.evaluate(() => scrollTo(0, 0))
      await page.mouse.move(0, 0)
      await drawn()
      await take(name)
    })

  await show('jobs', '#/jobs')
  await show('job', `#/jobs/${told.run}`, { height: 1100 })
  await show('profiles', '#/profiles/compare?numbers=1,2', { height: 1000 })
  await show('setup', '#/setup', {
    height: 1000,
    before: async () => {
      await page.getByRole('combobox', { name: /^Database/ }).first().selectOption({ label: told.database })
      for (const [name, value] of Object.entries(told.options)) await page.locator(`#option-${name}`).fill(value)
      await page.locator('#option-users').fill('8')
      await page.getByRole('button', { name: 'Test the connection' }).click()
      await page.locator('#trial').waitFor()
    },
  })
  await show('script', `#/scripts/${told.script}`, {
    before: async () => {
      await page.getByRole('button', { name: 'Run', exact: true }).click()
      await page.getByText('TEST RESULT').waitFor({ timeout: 60_000 })
    },
  })
  await ask('run')
  try {
    await page.waitForTimeout(25_000) // for some data in the charts
    await step('live', async () => {
      await page.setViewportSize({ width, height: 1000 })
      await ann.go('#/run')
      const link = page.locator('main table tbody a').first()
      await link.waitFor({ timeout: patience })
      await link.click()
      await page.getByRole('figure').first().waitFor()
      assert.match(page.url(), /#\/jobs\//)
      for (const [name, colorScheme] of [['live', 'light'], ['live-dark', 'dark']]) {
        await page.emulateMedia({ colorScheme })
        await drawn()
        await take(name)
      }
      await page.emulateMedia({ colorScheme: 'light' })
    })
    await show('start', '#/start')
  } finally {
    await ask('stop')
  }
})
