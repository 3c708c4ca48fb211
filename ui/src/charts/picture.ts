// Draws charts as pictures.

import type { Chart } from './chart.ts'
import { shadeLegend } from './heat.ts'
import { colour, surface } from './palette.ts'
import { heightOf, Plot, strokes, type Look } from './plot.ts'

/** The width of a picture in pixels, and the factor of its letters, for dense screens and slides. */
const width = 2000
const size = 2

/** A chart as PNG, with its title and the key of its lines. */
export async function png(chart: Chart, look: Look, title: string): Promise<Blob> {
  const ratio = devicePixelRatio
  const colours = surface(look.isDark)
  const plot = new Plot(document.createElement('div'), chart, { ...look, lit: '', signs: true }, undefined, { width: width / ratio, height: (heightOf(chart) * size) / ratio, size: size / ratio })
  await new Promise((drawn) => setTimeout(drawn)) // uPlot draws after this task
  const picture = document.createElement('canvas')
  const head = 90
  picture.width = width
  picture.height = plot.canvas.height + head
  const context = picture.getContext('2d')
  if (context === null) throw new Error('this browser cannot draw on a canvas')
  context.fillStyle = colours.background
  context.fillRect(0, 0, picture.width, picture.height)
  context.fillStyle = colours.text
  context.font = '600 30px system-ui, sans-serif'
  context.fillText(title, 20, 40)
  context.font = '24px system-ui, sans-serif'
  let left = 20
  for (const { name, dash, shade } of keyOf(chart, look)) {
    context.strokeStyle = shade
    context.lineWidth = dash === undefined ? 20 : 4
    context.setLineDash((dash ?? []).map((length) => length * size))
    context.beginPath()
    context.moveTo(left, 72)
    context.lineTo(left + 40, 72)
    context.stroke()
    context.fillText(name, left + 50, 80)
    left += 80 + context.measureText(name).width
  }
  context.drawImage(plot.canvas, 0, head)
  plot.destroy()
  return new Promise((resolve, reject) => {
    picture.toBlob((blob) => (blob === null ? reject(new Error('this browser cannot save the chart as PNG')) : resolve(blob)), 'image/png')
  })
}

/** The key of a chart: its visible lines, or its shades, which have no dashes. */
function keyOf(chart: Chart, look: Look): { name: string; shade: string; dash?: number[] }[] {
  if (chart.kind === 'heat') return shadeLegend(chart, look.isDark)
  if (chart.kind === 'gantt' || chart.kind === 'boxes') return []
  return chart.lines.flatMap((line, i) => (look.hidden.has(line.name) ? [] : [{ name: line.name, shade: colour(line.is, look.isDark), ...(chart.stacked === true ? {} : { dash: strokes[i % strokes.length] ?? [] }) }]))
}

