// The token of a shared link stands behind #, which browsers do not send. This script removes it from
// the address and the history, and exchanges it for a cookie.
const token = location.hash.slice(1)
history.replaceState(null, '', location.pathname)
const said = document.querySelector('[role=status]')
try {
  const answer = await fetch(location.pathname, { method: 'POST', headers: { Accept: 'application/json' }, body: new URLSearchParams({ token }) })
  const { at, detail } = await answer.json()
  if (answer.ok) location.replace(at)
  else said.textContent = detail
} catch {
  said.textContent = 'The server does not answer. Open the link again.'
}
