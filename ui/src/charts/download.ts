// Saves charts as files. Nothing is sent to a server.

/** Downloads a file. */
export function save(name: string, content: Blob): void {
  const address = URL.createObjectURL(content)
  const link = document.createElement('a')
  link.href = address
  link.download = name
  link.click()
  // Releases the content. The browser has read it by then.
  setTimeout(() => URL.revokeObjectURL(address), 60_000)
}

/** The file name for a title: "Response times of 6B03921C" is response-times-of-6b03921c. */
export function fileName(title: string): string {
  return title.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-').replaceAll(/^-|-$/g, '') || 'chart'
}

/** A self-contained drawing with a background. */
export function standalone(drawing: SVGSVGElement, background: string): { text: string; width: number; height: number } {
  const copy = drawing.cloneNode(true) as SVGSVGElement
  const width = Number(drawing.getAttribute('width'))
  const height = Number(drawing.getAttribute('height'))
  copy.setAttribute('xmlns', 'http://www.w3.org/2000/svg')
  copy.setAttribute('viewBox', `0 0 ${width} ${height}`)
  const behind = document.createElementNS('http://www.w3.org/2000/svg', 'rect')
  behind.setAttribute('width', String(width))
  behind.setAttribute('height', String(height))
  behind.setAttribute('fill', background)
  copy.prepend(behind)
  return { text: new XMLSerializer().serializeToString(copy), width, height }
}

/** A drawing as PNG in twice its resolution, for dense screens and paper. */
export async function png(svg: { text: string; width: number; height: number }): Promise<Blob> {
  const address = URL.createObjectURL(new Blob([svg.text], { type: 'image/svg+xml' }))
  try {
    const image = new Image()
    image.src = address
    await image.decode()
    const canvas = document.createElement('canvas')
    canvas.width = 2 * svg.width
    canvas.height = 2 * svg.height
    const context = canvas.getContext('2d')
    if (context === null) throw new Error('this browser cannot draw on a canvas')
    context.drawImage(image, 0, 0, canvas.width, canvas.height)
    return await new Promise((resolve, reject) => {
      canvas.toBlob((blob) => (blob === null ? reject(new Error('this browser cannot save the chart as PNG')) : resolve(blob)), 'image/png')
    })
  } finally {
    URL.revokeObjectURL(address)
  }
}
