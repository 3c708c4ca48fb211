// Package browser tests the web application as people use it: the real program, real servers
// and a real browser, Chromium, driven by Playwright's library. The tests have the build tag
// browser and are run by make test-browser, since they take a browser, npm and minutes. Go
// starts what is asked for, and scripts of Node.js (*.mjs) do what a person would.
package browser
