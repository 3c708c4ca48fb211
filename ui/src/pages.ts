// The list of pages. A new page is a line here: its address and its file, which is loaded at the first visit.

import type { Component } from 'svelte'
import { jobsAhead } from './api/jobs.ts'
import { filterOf } from './pages/filter.ts'
import { paramsOf, partsOf, toHelp, type Place } from './route.ts'

/** A page. */
export interface Page {
  /** Its address after "#/", such as "jobs/:id". */
  path: string
  /** Its name in the navigation. A page without a name belongs to the page with which its path begins. */
  name?: string
  /** The heading of docs/web.md that explains it; if missing, that of the page to which it belongs. */
  help?: string
  load: () => Promise<{ default: Component<Place> | Component }>
  /** Requests the page's first data while its file is loaded. */
  ahead?: (query: URLSearchParams) => void
}

/** All pages in the order of the navigation. The first is the default. */
export const pages: Page[] = [
  { path: 'start', name: 'Start', help: 'start', load: () => import('./pages/StartPage.svelte') },
  { path: 'setup', name: 'Set up', help: 'set-up', load: () => import('./pages/SetupPage.svelte') },
  { path: 'schema', name: 'Schema', help: 'schema', load: () => import('./pages/SchemaPage.svelte') },
  { path: 'run', name: 'Run', help: 'run', load: () => import('./pages/RunPage.svelte') },
  { path: 'counter', name: 'Counter', help: 'transaction-counter', load: () => import('./pages/CountersPage.svelte') },
  { path: 'counter/:id', load: () => import('./pages/CounterPage.svelte') },
  { path: 'profiles', name: 'Profiles', help: 'profiles', load: () => import('./pages/ProfilesPage.svelte') },
  { path: 'profiles/compare', load: () => import('./pages/ProfilesComparePage.svelte') },
  { path: 'profiles/:number', load: () => import('./pages/ProfilePage.svelte') },
  { path: 'jobs', name: 'Jobs', help: 'jobs', load: () => import('./pages/JobsPage.svelte'), ahead: (query) => jobsAhead({ ...filterOf(query) }) },
  { path: 'jobs/compare', load: () => import('./pages/ComparePage.svelte') },
  { path: 'jobs/:id', help: 'a-job', load: () => import('./pages/JobPage.svelte') },
  { path: 'scripts', name: 'Scripts', help: 'scripts', load: () => import('./pages/ScriptsPage.svelte') },
  { path: 'scripts/:name', load: () => import('./pages/ScriptPage.svelte') },
  { path: 'console', name: 'Console', help: 'the-console', load: () => import('./pages/ConsolesPage.svelte') },
  { path: 'console/:id', load: () => import('./pages/ConsolePage.svelte') },
  { path: 'datagen', name: 'Data generation', help: 'data-generation', load: () => import('./pages/DatagenPage.svelte') },
  { path: 'datagen/:id', load: () => import('./pages/DatagenTaskPage.svelte') },
  { path: 'settings', name: 'Settings', help: 'settings', load: () => import('./pages/SettingsPage.svelte') },
  { path: 'help', name: 'Help', load: () => import('./pages/HelpPage.svelte') },
  { path: 'help/:page', load: () => import('./pages/HelpPage.svelte') },
]

/** A page with the parameters of its address. */
export interface Found extends Place {
  page: Page
}

/** The page of a location's hash; undefined if there is none. */
export function pageOf(hash: string): Found | undefined {
  const { path, query } = partsOf(hash)
  for (const page of pages) {
    const params = paramsOf(path === '' ? (pages[0]?.path ?? '') : path, page.path)
    if (params !== undefined) return { page, params, query }
  }
  return undefined
}

/** Whether a page is the one of a navigation entry, or belongs to it. */
export function isUnder(page: Page, named: Page): boolean {
  return page.path === named.path || page.path.startsWith(`${named.path}/`)
}

/** The address in the manual that explains a page. */
export function helpOf(page: Page | undefined): string {
  const named = pages.find((each) => page !== undefined && each.help !== undefined && isUnder(page, each))
  return toHelp('web', page?.help ?? named?.help ?? '')
}
