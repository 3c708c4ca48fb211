import { mount } from 'svelte'
import App from './App.svelte'
import './app.css'
import { visiting } from './session.svelte.ts'

const target = document.getElementById('app')
if (target === null) throw new Error('index.html has no element for the application')
if (visiting) void import('./Shared.svelte').then((file) => mount(file.default, { target }))
else mount(App, { target })
