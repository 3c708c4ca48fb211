// Helpers of the scripts: a browser, people who use it, and checks of each page that they see.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { chromium } from 'playwright-core'

/** The values from the test in Go. */
export const told = JSON.parse(process.env.SLEDGE_BROWSER ?? '{}')

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** The widths, in CSS pixels, of a telephone, a small window and a desktop. */
const widths = [390, 1024, 1920]

/** The time, in milliseconds, within which an element must appear on a page, on a busy machine. */
export const patience = 20_000

/** Asks the test in Go to do something that a script cannot do, such as killing the server. */
export async function ask(deed) {
  const answer = await fetch(`${told.control}/${deed}`, { method: 'POST' })
  assert.ok(answer.ok, `the test could not ${deed}: ${await answer.text()}`)
}

/** A person with their own browser: cookies and storage are not shared. */
export class Person {
  /** The unexpected faults of all pages so far. */
  faults = []
  /** Console messages that the script causes on purpose, for example by a refused request. */
  expected = [/favicon\.ico/] // for documents that are not pages, such as responses of the API

  constructor(context, page, name, origin) {
    Object.assign(this, { context, page, name, origin })
    this.seen = new Set()
    this.watch(page)
    context.on('page', (other) => this.watch(other))
  }

  watch(page) {
    if (this.seen.has(page)) return
    this.seen.add(page)
    // Violations of the Content-Security-Policy are errors of the console, too.
    page.on('console', (message) => {
      if (message.type() !== 'error' && message.type() !== 'warning') return
      const text = `${message.text()} ${message.location().url}`
      if (!this.expected.some((pattern) => pattern.test(text))) this.fault(`the console says ${text}`)
    })
    page.on('pageerror', (error) => this.fault(`a script failed: ${error.stack ?? error.message}`))
    page.on('dialog', (dialog) => {
      this.fault(`a dialog of the browser says ${dialog.message()}`)
      void dialog.dismiss()
    })
    page.on('request', (request) => {
      const url = new URL(request.url())
      if (request.isNavigationRequest() || new URL(page.url()).origin !== this.origin) return
      if (url.protocol !== 'blob:' && url.origin !== this.origin) this.fault(`it asks another origin: ${request.url()}`)
    })
    page.on('response', (response) => {
      if (response.status() >= 500 && !this.expected.some((pattern) => pattern.test(`status of ${response.status()}`))) {
        this.fault(`${response.request().method()} ${response.url()}: ${response.status()}`)
      }
    })
  }

  fault(text) {
    this.faults.push(`${this.page.url()}: ${text}`)
  }

  /** Goes to a page of the application, such as "#/jobs". */
  async go(hash) {
    await this.page.goto(new URL(hash, this.base).href)
  }

  /** Logs in with the link that sledge web printed, or with a user's name. */
  async logIn(link, name) {
    this.base = link.replace(/login.*$/, '')
    await this.page.goto(link)
    if (name !== undefined) {
      await this.page.getByLabel('User').fill(name)
      await this.page.getByLabel('Password').fill(told.password)
      await this.page.getByRole('button', { name: 'Log in' }).click()
    }
    await this.page.waitForURL((url) => !url.pathname.endsWith('/login'))
    await this.page.locator('#app header').waitFor({ timeout: patience })
  }

  /** Waits for a heading of the page. */
  async heading(name, options = {}) {
    await this.page.getByRole('heading', { level: 1, name }).waitFor({ timeout: patience, ...options })
  }

  /**
   * Checks that the page is accessible in light and dark, and not wider than the window. With a
   * folder for review it also takes pictures there, one for each width and color scheme.
   */
  async look(title) {
    const { page } = this
    const before = page.viewportSize()
    const scheme = this.scheme ?? 'light'
    for (const colorScheme of ['light', 'dark']) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
      for (const width of told.review ? widths : [390]) {
        await page.setViewportSize({ width, height: 900 })
        await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))))
        const needed = await page.evaluate(() => document.documentElement.scrollWidth)
        if (needed > width) this.fault(`${title} is ${needed} px wide in a window of ${width} px: ${await this.tooWide(width)}`)
        if (told.review) {
          await mkdir(told.review, { recursive: true })
          await page.screenshot({ path: join(told.review, `${title}-${width}-${colorScheme}.png`), fullPage: true })
        }
      }
      for (const violation of await this.violations()) this.fault(`${title}, ${colorScheme}: ${violation}`)
    }
    await page.emulateMedia({ colorScheme: scheme })
    await page.setViewportSize(before)
  }

  /**
   * Opens a page without the browser's cache. It returns the KiB that the page loads, its layout
   * shift, and what moved how far.
   */
  async weigh(hash, there) {
    const page = await this.context.newPage()
    const devtools = await this.context.newCDPSession(page)
    await devtools.send('Network.enable')
    await devtools.send('Network.setCacheDisabled', { cacheDisabled: true })
    let bytes = 0
    devtools.on('Network.loadingFinished', ({ encodedDataLength }) => (bytes += encodedDataLength))
    await page.addInitScript(() => {
      window.shift = 0
      window.moved = []
      new PerformanceObserver((list) => {
        for (const entry of list.getEntries().filter((e) => !e.hadRecentInput)) {
          window.shift += entry.value
          for (const { node, previousRect: from, currentRect: to } of entry.sources) {
            window.moved.push(`${entry.value.toFixed(3)}: ${from.y}+${from.height} to ${to.y}+${to.height}: ${(node?.outerHTML ?? node?.textContent ?? '').slice(0, 120)}`)
          }
        }
      }).observe({ type: 'layout-shift', buffered: true })
    })
    await page.goto(new URL(hash, this.base).href)
    await page.locator(there).first().waitFor()
    await page.waitForLoadState('networkidle')
    const { shift, moved } = await page.evaluate(() => ({ shift: window.shift, moved: window.moved }))
    await page.close()
    return { kib: bytes / 1024, shift, moved }
  }

  /** Returns the first elements that extend beyond the window. */
  tooWide(width) {
    return this.page.evaluate(
      (most) =>
        [...document.querySelectorAll('body *')]
          .filter((e) => e.getBoundingClientRect().right > most + 0.5)
          .slice(0, 3)
          .map((e) => e.outerHTML.slice(0, 120))
          .join(' | '),
      width,
    )
  }

  /** Returns the violations that axe finds, one line each. */
  async violations() {
    // The browser's debugger evaluates this, and so the Content-Security-Policy does not apply.
    const found = await this.page.evaluate(
      `(() => { const module = undefined, exports = undefined, define = undefined; ${axe}; return axe.run().then((r) => r.violations) })()`,
    )
    return found.map((v) => `axe ${v.id}: ${v.nodes.length}, first ${v.nodes[0].html.slice(0, 160)}: ${v.nodes[0].failureSummary}`)
  }

  /** Fails if there were faults since the last call. */
  fine() {
    const faults = this.faults.splice(0)
    assert.deepEqual(faults, [], `${this.name} saw ${faults.length} faults`)
  }
}

/**
 * Runs a script, with a browser for its duration. invite(name, address) creates a person with
 * their own browser context, and step(what, does) runs a part and prints how long it took. args and env are for the
 * browser.
 */
export async function play(script, { args = [], env } = {}) {
  const browser = await chromium.launch({
    executablePath: told.chromium,
    // /dev/shm is small in containers. The sandbox is only needed for untrusted pages.
    args: ['--no-sandbox', '--disable-dev-shm-usage', ...args],
    ...(env ? { env: { ...process.env, ...env } } : {}),
  })
  const people = []
  let at = ''
  const invite = async (name, address, options = {}) => {
    const context = await browser.newContext({ viewport: { width: 1600, height: 900 }, colorScheme: 'light', locale: 'en-GB', timezoneId: 'UTC', acceptDownloads: true, ...options })
    context.setDefaultTimeout(patience)
    const person = new Person(context, await context.newPage(), name, new URL(address).origin)
    people.push(person)
    return person
  }
  const step = async (what, does) => {
    at = what
    const begun = performance.now()
    const outcome = await does()
    for (const person of people) person.fine()
    console.log(`    ${((performance.now() - begun) / 1000).toFixed(1).padStart(5)} s  ${told.test}: ${what}`)
    return outcome
  }
  try {
    await script({ browser, invite, step })
    for (const person of people) person.fine()
  } catch (error) {
    console.error(`    ${told.test} failed: ${at}\n${error.stack}`)
    for (const person of people) {
      for (const fault of person.faults) console.error(`    ${person.name} saw: ${fault}`)
      for (const page of person.context.pages()) {
        const says = (await page.locator('body').innerText().catch(String)).slice(0, 1000)
        const alerts = await page.locator('[role=alert], [role=status], progress').allInnerTexts().catch(String)
        console.error(`    ${person.name} is at ${page.url()}, which alerts: ${alerts} and says:\n${says}`)
        if (told.failures) await page.screenshot({ path: join(told.failures, `${person.name}-${Date.now()}.png`), fullPage: true }).catch(() => undefined)
      }
    }
    process.exitCode = 1
  } finally {
    await browser.close()
  }
}
