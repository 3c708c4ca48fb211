// Saves files. Nothing is sent to a server.

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
