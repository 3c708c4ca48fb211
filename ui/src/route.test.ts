import { expect, test } from 'vitest'
import { address } from './api/client.ts'
import { places, routeOf, toJob, toJobs } from './route.ts'

test.each([
  ['', 'jobs'],
  ['#', 'jobs'],
  ['#/', 'jobs'],
  ['#/jobs', 'jobs'],
  ['#/jobs?status=failed', 'jobs'],
  ['#/jobs/6B03', 'job'],
  ['#/jobs/%', 'missing'],
  ['#/jobs/6B03/more', 'missing'],
  ['#/elsewhere', 'missing'],
])('%s is of the page %s', (hash, page) => {
  expect(routeOf(hash).page).toBe(page)
})

test('an address that was made leads back to what it was made of', () => {
  expect(routeOf(toJob('a/b?c#d%'))).toEqual({ page: 'job', id: 'a/b?c#d%' })
  const route = routeOf(toJobs({ text: 'ticket=4711 & more', status: 'failed', action: '' }))
  expect(route.page === 'jobs' && Object.fromEntries(route.query)).toEqual({ text: 'ticket=4711 & more', status: 'failed' })
})

test('whatever the navigation names is there', () => {
  for (const place of places) {
    expect(place.pages).toContain(routeOf(place.to).page)
  }
})

test('the API is found below any path of a proxy', () => {
  expect(address('jobs', 'http://localhost:8080/')).toBe('http://localhost:8080/api/v1/jobs')
  expect(address('jobs', 'https://example.org/tools/sledge/#/jobs/1')).toBe('https://example.org/tools/sledge/api/v1/jobs')
})
