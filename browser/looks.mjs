// Compares pictures of the pages and their states with those in the folder looks. docs/decisions/111-pictures-of-the-pages.md
// says why they are the same on every machine.
import assert from 'node:assert/strict'
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { patience, play, told } from './people.mjs'

const kept = fileURLToPath(new URL('looks/', import.meta.url))
/** The widths of the pictures by colour scheme. Colours do not depend on the width. */
const widths = { light: [390, 1024, 1440, 1920], dark: [390, 1440] }
/** The height of a picture in the page's pixels, at most, and the size of these in the picture, so that it is small. */
const tallest = 1600
const scale = 0.5
/**
 * The difference of a colour, of 255, up to which two pixels are equal, and the number of other pixels that may differ:
 * in general, or as a share of all pixels if another version of Chromium took the kept pictures.
 */
const near = 40
const few = 50
const fewOfOtherVersion = 0.01

/** The paths of pages without a picture, and why. */
const without = {
  'counter/:id': 'it shows what a server does at the moment',
  'console/:id': 'its terminal belongs to a running program',
  'boards/:id': 'it has the charts and tables of the other pages',
  'datagen/:id': 'it shows how long a real task took',
}

const table = await readFile(new URL('../ui/src/pages.ts', import.meta.url), 'utf8')
const paths = [...table.matchAll(/\{ path: '([^']+)'/g)].map(([, path]) => path)

await play(
  async ({ browser, invite }) => {
    const darkroom = await (await browser.newContext()).newPage()
    const [version, by] = [browser.version(), (await readFile(join(kept, 'chromium'), 'utf8').catch(() => 'none')).trim()]
    if (by !== version) console.log(`             Chromium ${by} took the kept pictures, and this is ${version}: one pixel in a hundred may differ`)
    const share = by === version ? 0 : fewOfOtherVersion
    const names = new Set()
    const changed = []
    await rm(told.changed, { recursive: true, force: true })

    /**
     * Compares a picture with the kept one. It returns the picture as WebP and, if they differ, a sheet with both
     * and the different pixels.
     */
    const develop = (png, before) =>
      darkroom.evaluate(
        async ([png, before, near, few, share]) => {
          const load = async (type, text) => createImageBitmap(await (await fetch(`data:image/${type};base64,${text}`)).blob())
          const draw = (width, height, paint) => {
            const canvas = new OffscreenCanvas(width, height)
            paint(canvas.getContext('2d', { willReadFrequently: true }))
            return canvas
          }
          const write = async (canvas) => {
            const reader = new FileReader()
            reader.readAsDataURL(await canvas.convertToBlob({ type: 'image/webp', quality: 0.6 }))
            await new Promise((read) => (reader.onload = read))
            return reader.result.replace(/^.*,/, '')
          }
          const image = await load('png', png)
          const webp = await write(draw(image.width, image.height, (on) => on.drawImage(image, 0, 0)))
          if (webp === before) return { webp, different: 0 }
          const old = before === '' ? undefined : await load('webp', before)
          const [width, height] = [Math.max(image.width, old?.width ?? 0), Math.max(image.height, old?.height ?? 0)]
          const pixels = (of) => {
            let found
            draw(width, height, (on) => {
              if (of) on.drawImage(of, 0, 0)
              found = on.getImageData(0, 0, width, height)
            })
            return found
          }
          const [a, b] = [pixels(old), pixels(image)]
          let different = 0
          for (let i = 0; i < a.data.length; i += 4) {
            const off = Math.max(...[0, 1, 2, 3].map((n) => Math.abs(a.data[i + n] - b.data[i + n]))) > near
            if (off) different++
            // Equal pixels are pale.
            for (let n = 0; n < 3; n++) a.data[i + n] = off ? [230, 0, 60][n] : 191 + b.data[i + n] / 4
            a.data[i + 3] = 255
          }
          if (different <= Math.max(few, share * width * height)) return { webp: before, different: 0 }
          const sheet = draw(3 * width + 40, height, (on) => {
            if (old) on.drawImage(old, 0, 0)
            on.drawImage(image, width + 20, 0)
            on.putImageData(a, 2 * width + 40, 0)
          })
          return { webp, different, sheet: await write(sheet) }
        },
        [png.toString('base64'), before, near, few, share],
      )

    /** Takes a picture of a page from its top. */
    const shoot = async (page, width, most) => {
      // Addresses, folders, processes and times of today differ between runs.
      await page.evaluate(
        async (hidden) => {
          scrollTo(0, 0)
          for (let n = 0; n < 3; n++) await new Promise((drawn) => requestAnimationFrame(drawn))
          const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
          while (walk.nextNode()) for (const [from, to] of hidden) if (new RegExp(from).test(walk.currentNode.data)) walk.currentNode.data = walk.currentNode.data.replaceAll(new RegExp(from, 'g'), to)
        },
        told.hidden,
      )
      const height = await page.evaluate((most) => Math.min(most, document.documentElement.scrollHeight), most)
      return page.screenshot({ fullPage: true, animations: 'disabled', clip: { x: 0, y: 0, width, height } })
    }

    /** Takes a page's picture at each width, in the colour scheme of its person. */
    const take = async (person, name, most = tallest) => {
      const { page, scheme } = person
      for (const width of widths[scheme]) {
        await page.setViewportSize({ width, height: 900 })
        await page.mouse.move(0, 0)
        const file = `${name}-${width}-${scheme}.webp`
        names.add(file)
        const before = await readFile(join(kept, file), 'base64').catch(() => '')
        let developed
        // On a busy machine a page may still draw what it has just loaded. If many pictures differ, the pages have changed.
        for (let tries = changed.length < 10 ? 3 : 1; tries > 0; tries--) {
          developed = await develop(await shoot(page, width, most), before)
          if (developed.different === 0 || before === '') break
          await page.waitForTimeout(500)
        }
        const { webp, different, sheet } = developed
        if (different === 0) continue
        changed.push(`${file}: ${before === '' ? 'no picture is kept' : `${different} pixels differ`}`)
        await mkdir(join(told.changed, 'new'), { recursive: true })
        await writeFile(join(told.changed, file), Buffer.from(sheet, 'base64'))
        await writeFile(join(told.changed, 'new', file), Buffer.from(webp, 'base64'))
      }
    }

    /** Visits all pages and states in a colour scheme, and returns the paths of the visited pages. */
    const visit = async (scheme) => {
      const seen = new Set()
      const options = { colorScheme: scheme, reducedMotion: 'reduce', deviceScaleFactor: scale, viewport: { width: 1440, height: 900 } }
      const arrive = async (name, address) => {
        const person = Object.assign(await invite(name, address, options), { scheme })
        await person.context.clock.setFixedTime(told.now)
        await person.logIn(`${address}login`, 'ann')
        return person
      }
      const ann = await arrive(`ann (${scheme})`, told.address)
      const { page } = ann
      const main = page.locator('main')
      const chart = main.locator('figure canvas').first()
      const row = main.locator('tbody tr').filter({ visible: true }).first()
      const button = (name) => main.getByRole('button', { name, exact: true })
      const heading = (name) => main.getByRole('heading', { name, exact: true })

      /** Shows a page in a state. before prepares it, and there is an element that only this page and state has. */
      const show = async (name, hash, there, person = ann) => {
        await person.page.goto('about:blank') // so that nothing of the page before is there
        await person.go(hash)
        await there.waitFor({ timeout: patience })
        if (hash.startsWith('#/jobs?') || hash === '#/jobs') { // the filters are as wide as their longest choice
          await person.page.locator('option[value="tprocc"]').first().waitFor({ state: 'attached', timeout: patience })
        }
        await person.page.waitForLoadState('networkidle', { timeout: 3000 }).catch(() => undefined) // a notice may be waited for
        await take(person, name)
        const path = hash.replace(/^#\/|\?.*$/g, '').split('/')
        seen.add(paths.find((each) => each.split('/').length === path.length && each.split('/').every((part, n) => part.startsWith(':') || part === path[n])))
      }
      const { jobs } = told
      await show('start', '#/start', row)
      await show('setup', '#/setup', button('Test the connection'))
      await show('schedules', '#/setup/schedules', main.locator('h1'))
      await show('schema', '#/schema', button('Build'))
      await show('jobs', '#/jobs', main.getByRole('checkbox').first())
      await show('jobs-filtered-empty', '#/jobs?text=nothing', main.getByText('No job matches'))
      await show('jobs-compare', `#/jobs/compare?ids=${jobs.earlier},${jobs.run}`, heading('What differs'))
      await show('job', `#/jobs/${jobs.run}`, chart)
      await show('job-details', `#/jobs/${jobs.run}?tab=details`, main.getByText(jobs.run, { exact: true }))
      await show('job-machine', `#/jobs/${jobs.run}?tab=machine`, heading('CPU'))
      await show('job-sessions', `#/jobs/${jobs.run}?tab=sessions`, heading('What they waited for'))
      await page.goto('about:blank')
      await ann.go(`#/jobs/${jobs.run}?tab=sessions&from=50&until=85`)
      await main.getByRole('button', { name: 'transaction', exact: true }).click()
      await main.getByRole('button', { name: 'Lock/transactionid' }).click()
      await main.getByText('of those chosen').waitFor()
      await take(ann, 'job-sessions-window', 3600) // the tables are below the charts
      await show('job-server', `#/jobs/${jobs.run}?tab=counters`, heading('Top statements'))
      await show('job-times', `#/jobs/${jobs.run}?tab=transactions`, row)
      await show('job-failed', `#/jobs/${jobs.failed}`, main.getByText('There are no charts'))
      await show('job-long', `#/jobs/${jobs.long}`, main.getByText('There are no charts'))
      await show('profiles', '#/profiles', row)
      await show('profile', '#/profiles/1', chart)
      await show('profiles-compare', '#/profiles/compare?numbers=1,2', main.getByRole('link', { name: 'Profile 2' }))
      await show('experiments', '#/experiments', row)
      await show('experiment', '#/experiments/scaling', chart)
      await show('history', '#/history?name=experiment%3Dscaling', chart)
      await show('counters', '#/counter', main.locator('form').first())
      await show('boards', '#/boards', main.locator('h1'))
      await show('scripts', '#/scripts', main.getByRole('link', { name: told.script }))
      await show('script', `#/scripts/${told.script}`, page.getByRole('textbox', { name: 'Text of the script' }))
      await show('consoles', '#/console', button('Open a console in Tcl'))
      await show('datagen', '#/datagen', main.locator('form').first())
      await show('settings', '#/settings', heading('User accounts'))
      await show('help', '#/help', heading('The manual'))
      await show('help-page', '#/help/watch', heading('Watching a server'))
      // Its stream is never idle.
      await page.goto('about:blank')
      await ann.go(`#/jobs/${jobs.live}`)
      await chart.waitFor({ timeout: patience })
      await take(ann, 'job-live')
      await ann.go(`#/jobs/${jobs.live}?tab=sessions`)
      await heading('What they waited for').waitFor({ timeout: patience })
      await take(ann, 'job-live-sessions')
      await show('run', '#/run', row)

      await ann.go('#/help')
      await heading('The manual').waitFor()
      await page.keyboard.press('Control+k')
      await page.getByRole('dialog').getByRole('option').first().waitFor()
      await take(ann, 'palette')

      ann.expected.push(/net::ERR|status of 404/)
      await show('job-missing', '#/jobs/0FFF', main.getByRole('alert').first())
      const all = '**/api/v1/jobs**'
      await page.route(all, (route) => route.abort())
      await show('jobs-error', '#/jobs', main.getByRole('alert').first())
      await page.unroute(all)
      await page.route(all, () => undefined) // the answer never comes
      await page.goto('about:blank')
      await ann.go('#/jobs')
      await main.getByRole('status').first().waitFor()
      await take(ann, 'jobs-loading')
      await page.unroute(all)

      const lou = await arrive(`lou (${scheme})`, told.empty)
      const there = lou.page.locator('main')
      await show('start-empty', '#/start', there.getByRole('heading', { name: 'Try it now' }), lou)
      await show('jobs-empty', '#/jobs', there.getByRole('search'), lou)
      await show('profiles-empty', '#/profiles', there.locator('h1').first(), lou)
      await show('experiments-empty', '#/experiments', there.getByText('There is no experiment yet'), lou)
      return seen
    }
    const [seen] = await Promise.all(['light', 'dark'].map(visit))

    assert.deepEqual(paths.filter((path) => !seen.has(path) && !(path in without)), [], 'add pictures of these pages')
    const stale = (await readdir(kept).catch(() => [])).filter((file) => file.endsWith('.webp') && !names.has(file))
    assert.deepEqual(stale, [], `remove these pictures from ${kept}: no page has them`)
    const remedy = `${told.changed} has a sheet of each with the kept picture, the new one and their difference. If the new ones are right, make accept-pictures keeps them.`
    if (changed.length > 0) await writeFile(join(told.changed, 'new', 'chromium'), `${version}\n`)
    assert.equal(changed.length, 0, `${changed.length} of ${names.size} pictures differ. ${remedy}\n${changed.join('\n')}`)
    console.log(`             ${names.size} pictures`)
  },
  { args: ['--font-render-hinting=none', '--disable-lcd-text', '--force-color-profile=srgb', '--hide-scrollbars'], env: { FONTCONFIG_FILE: fileURLToPath(new URL('fonts.conf', import.meta.url)) } },
)
