// Tests a user with roles in projects only. A request that the server refuses is an error of the console, so
// the pages must not send any.
import assert from 'node:assert/strict'
import { patience, play, told } from './people.mjs'

await play(async ({ invite, step }) => {
  const ann = await invite('ann', told.address)
  const kim = await invite('kim', told.address)

  await step('ann, who may act, saves a set-up for a project', async () => {
    const { page } = ann
    await ann.logIn(told.address, 'ann')
    await ann.go('#/setup')
    await page.getByRole('combobox', { name: /^Database/ }).first().selectOption({ label: 'SQLite' })
    await page.locator('#option-file').fill(told.file)
    const labels = page.locator('#option-labels')
    await labels.fill('project')
    await page.getByText('"project" has no value').waitFor()
    await ann.look('setup-labels')
    await labels.fill('ticket=4711, project=kernel')
    await page.getByText('"project" has no value').waitFor({ state: 'detached' })
    await page.locator('#option-duration').fill('3s')
    await page.locator('#option-rampup').fill('0')
    await page.getByRole('button', { name: 'Save as …' }).click()
    await page.getByLabel('Name', { exact: true }).fill('kernel run')
    await page.locator('main form').getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('Saved as kernel run.').waitFor()
  })

  await step('ann sees the roles of kim', async () => {
    await ann.go('#/settings')
    await ann.page.getByRole('cell', { name: 'act in kernel, look in nightly' }).waitFor()
  })

  await step('kim sees the pages and the jobs of her project only', async () => {
    const { page } = kim
    await kim.logIn(told.address, 'kim')
    await kim.heading('Start')
    await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Jobs' }).waitFor()
    assert.deepEqual(await page.getByRole('navigation', { name: 'Pages' }).getByRole('link').allTextContents(), ['Start', 'Jobs'])
    await page.getByText('No job of your projects has been recorded yet.').waitFor()
    await page.locator('main').getByText('Your roles are act in kernel, look in nightly.').waitFor()
    await kim.look('start-member')
    await kim.go('#/jobs')
    await page.getByText('No job has been recorded yet.').waitFor()
    await kim.go('#/setup')
    await kim.heading('This page is not in your projects')
    await kim.look('not-in-projects')
    kim.expected.push(/status of 404/)
    await kim.go(`#/jobs/${told.job}`)
    await page.getByText('your projects have no such job').first().waitFor()
    await kim.go('#/settings')
    await kim.heading('Settings')
    await page.getByText('You are kim. Your roles are act in kernel, look in nightly.').waitFor()
    await kim.look('settings-member')
  })

  await step('kim starts the set-up of her project, annotates its run and deletes it', async () => {
    const { page } = kim
    await kim.go('#/start')
    await page.getByRole('button', { name: 'Start kernel run' }).click()
    await page.getByText('The job has ended: done.').waitFor({ timeout: 3 * patience })
    await page.getByRole('link', { name: 'Details' }).click()
    await page.getByRole('button', { name: 'Edit', exact: true }).click()
    await page.getByLabel('Note', { exact: true }).fill('by kim')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('by kim').first().waitFor()
    assert.equal(await page.getByRole('button', { name: 'Share …' }).count(), 0)
    assert.equal(await page.getByRole('button', { name: 'Run again' }).count(), 0)
    await kim.look('job-member')
    await kim.go('#/start')
    await page.getByText('project: kernel').first().waitFor()
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox').fill('kernel')
    await page.getByRole('option', { name: /kernel run/ }).first().waitFor()
    await page.keyboard.press('Escape')
    await page.locator('main table a.name').first().click()
    await page.locator('summary', { hasText: 'More' }).click()
    await page.getByRole('button', { name: 'Delete this job …' }).click()
    await page.getByRole('button', { name: 'Delete the job' }).click()
    await kim.heading('Jobs')
    await page.getByText('No job has been recorded yet.').waitFor()
  })
})
