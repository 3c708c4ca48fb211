import { expect, test } from 'vitest'
import { codeOf, piecesOf } from './pieces.ts'

test('a path wraps after its slashes, and a date does not wrap', () => {
  const texts = (text: string): string[] => piecesOf(text).map((piece) => piece.text)
  expect(texts('/srv/sledge/jobs.db')).toEqual(['/srv/', 'sledge/', 'jobs.db'])
  expect(texts('http://127.0.0.1:8080/')).toEqual(['http://127.0.0.1:8080/'])
  expect(piecesOf('16552 on vm, since 2026-11-23 11:06:52 UTC').filter((piece) => piece.whole)).toEqual([{ text: '2026-11-23', whole: true }])
  expect(texts('16552 on vm, since 2026-11-23 11:06:52 UTC').join('')).toBe('16552 on vm, since 2026-11-23 11:06:52 UTC')
  expect(texts('')).toEqual([])
})

test('a flag does not wrap at its hyphens, and long code wraps only at spaces', () => {
  const whole = (code: string): string[] => codeOf(code).filter((part) => part.whole).map((part) => part.text)
  expect(whole('--all-databases')).toEqual(['--all-databases'])
  expect(whole('--log FILE')).toEqual(['--log FILE'])
  expect(whole('sledge watch --db pg --dbname sbt')).toEqual(['sledge', 'watch', '--db', 'pg', '--dbname', 'sbt'])
  expect(whole('x'.repeat(60))).toEqual([])
  expect(codeOf('a  --flag of more than a few words').map((part) => part.text).join('')).toBe('a  --flag of more than a few words')
})
