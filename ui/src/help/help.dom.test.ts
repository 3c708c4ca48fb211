import { expect, test } from 'vitest'
import { show } from './show.ts'

test('a page of the manual is shown unchanged, and its scrolling parts have a name and can be focused', () => {
  const into = document.createElement('article')
  show('<h1>T</h1><p>See <code>--json</code>.</p><pre><code>a --b\n</code></pre><table><tbody><tr><td>1</td></tr></tbody></table>', into)
  expect(into.textContent).toBe('TSee --json.a --b\n1')
  expect(into.querySelector('p .unbroken')?.textContent).toBe('--json')
  expect(into.querySelector('pre .unbroken')).toBeNull()
  for (const box of into.querySelectorAll<HTMLElement>('pre, .scroll')) {
    expect([box.tabIndex, box.getAttribute('aria-label')]).toEqual([0, expect.stringMatching(/^(Example|Table) 1$/)])
  }
})
