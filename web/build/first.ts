// The script that runs before anything is painted: no module, for those wait until all of the page is there.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Plugin } from 'vite';

const SOURCE = join(import.meta.dirname, '../first.js');

export function firstScript(): Plugin {
  let file = '';
  return {
    name: 'svc:first-script',
    apply: 'build',
    async generateBundle() {
      file = this.getFileName(this.emitFile({ type: 'asset', name: 'first.js', source: await readFile(SOURCE, 'utf8') }));
    },
    transformIndexHtml: {
      order: 'post',
      handler: () => [{ tag: 'script', attrs: { src: `/${file}` }, injectTo: 'head-prepend' }],
    },
  };
}
