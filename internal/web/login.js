// What stands behind # in an address is not sent to a server. Browsers take it along from the page
// that was asked for to this one, and from the form's address to the page that comes next.
const form = document.querySelector('form')
if (form) form.action += location.hash
