// Compresses the built files by brotli, each beside its original. The server sends them to clients that accept brotli.
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress } from 'node:zlib'

const site = '../internal/web/pages/built/site'
for (const name of await readdir(site, { recursive: true })) {
  if (!/\.(css|html|js|svg)$/.test(name)) continue
  const text = await readFile(join(site, name))
  const small = await promisify(brotliCompress)(text)
  if (small.length < 0.9 * text.length) await writeFile(join(site, `${name}.br`), small)
}
