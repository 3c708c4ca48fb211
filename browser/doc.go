// Package browser tests the web application end to end: the real program, real servers and a real
// browser, Chromium, driven by Playwright's library. The tests have the build tag browser, because
// they need a browser, npm and minutes; make test-browser runs them. The Go tests start the
// servers, and Node.js scripts (*.mjs) act as users.
package browser
