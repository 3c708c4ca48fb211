// The list of pages. A new page is a line here: its address, its place in the navigation, and its file, which is loaded
// at the first visit.

import type { Component } from 'svelte'
import { jobsAhead } from './api/jobs.ts'
import { askedOf, filterOf } from './pages/filter.ts'
import { paramsOf, partsOf, toHelp, type Place } from './route.ts'

/** The groups of the navigation, in their order. */
export const groups = ['Test', 'Results', 'Tools'] as const

/** A page. */
export interface Page {
  /** Its address after "#/", such as "jobs/:id". */
  path: string
  /** Its name in the navigation. A page without a name belongs to the page with which its path begins. */
  name?: string
  /** The group of the navigation that lists it. A page with a name and without a group is in the user's menu. */
  group?: (typeof groups)[number]
  /** The heading of docs/web.md that explains it; if missing, that of the page to which it belongs. */
  help?: string
  /** Whether users with roles in projects only have it. */
  members?: true
  load: () => Promise<{ default: Component<Place> | Component }>
  /** Requests the page's first data while its file is loaded. */
  ahead?: (query: URLSearchParams) => void
}

/** All pages; those of a group are in the order of the navigation. The first is the default. */
export const pages: Page[] = [
  { path: 'start', members: true, name: 'Start', group: 'Test', help: 'start', load: () => import('./pages/StartPage.svelte') },
  { path: 'setup', name: 'Set up', group: 'Test', help: 'set-up', load: () => import('./pages/SetupPage.svelte') },
  { path: 'setup/schedules', help: 'schedules', load: () => import('./pages/SchedulesPage.svelte') },
  { path: 'schema', name: 'Schema', group: 'Test', help: 'schema', load: () => import('./pages/SchemaPage.svelte') },
  { path: 'run', name: 'Run', group: 'Test', help: 'run', load: () => import('./pages/RunPage.svelte') },
  { path: 'jobs', members: true, name: 'Jobs', group: 'Results', help: 'jobs', load: () => import('./pages/JobsPage.svelte'), ahead: (query) => jobsAhead(askedOf(filterOf(query))) },
  { path: 'jobs/compare', members: true, load: () => import('./pages/ComparePage.svelte') },
  { path: 'jobs/:id', members: true, help: 'a-job', load: () => import('./pages/JobPage.svelte') },
  { path: 'profiles', name: 'Profiles', group: 'Results', help: 'profiles', load: () => import('./pages/ProfilesPage.svelte') },
  { path: 'profiles/compare', load: () => import('./pages/ProfilesComparePage.svelte') },
  { path: 'profiles/:number', load: () => import('./pages/ProfilePage.svelte') },
  { path: 'experiments', name: 'Experiments', group: 'Results', help: 'experiments', load: () => import('./pages/ExperimentsPage.svelte') },
  { path: 'experiments/:name', load: () => import('./pages/ExperimentPage.svelte') },
  { path: 'history', name: 'History', group: 'Results', help: 'history', load: () => import('./pages/HistoryPage.svelte') },
  { path: 'boards', name: 'Boards', group: 'Results', help: 'boards', load: () => import('./pages/BoardsPage.svelte') },
  { path: 'boards/:id', load: () => import('./pages/BoardPage.svelte') },
  { path: 'counter', name: 'Counter', group: 'Tools', help: 'transaction-counter', load: () => import('./pages/CountersPage.svelte') },
  { path: 'counter/:id', load: () => import('./pages/CounterPage.svelte') },
  { path: 'scripts', name: 'Scripts', group: 'Tools', help: 'scripts', load: () => import('./pages/ScriptsPage.svelte') },
  { path: 'scripts/:name', load: () => import('./pages/ScriptPage.svelte') },
  { path: 'console', name: 'Console', group: 'Tools', help: 'the-console', load: () => import('./pages/ConsolesPage.svelte') },
  { path: 'console/:id', load: () => import('./pages/ConsolePage.svelte') },
  { path: 'datagen', name: 'Data generation', group: 'Tools', help: 'data-generation', load: () => import('./pages/DatagenPage.svelte') },
  { path: 'datagen/:id', load: () => import('./pages/DatagenTaskPage.svelte') },
  { path: 'settings', members: true, name: 'Settings', help: 'settings', load: () => import('./pages/SettingsPage.svelte') },
  { path: 'help', members: true, name: 'Help', load: () => import('./pages/HelpPage.svelte') },
  { path: 'help/:page', members: true, load: () => import('./pages/HelpPage.svelte') },
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

/** Whether the user has a page. */
export function has(page: Page, member: boolean): boolean {
  return !member || page.members === true
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
