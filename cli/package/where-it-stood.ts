// For bundles of the tool: files find templates and SDKs by where they stand, and in a bundle each keeps its
// old address.
import { readFile } from 'node:fs/promises';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Plugin } from 'esbuild';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

export const whereItStood: Plugin = {
  name: 'where-it-stood',
  setup: (builder) => {
    builder.onLoad({ filter: /\/cli\/.*\.ts$/ }, async ({ path }) => {
      // One writes a program that has an address of its own; the other reads a file beside the bundle.
      if (path.endsWith('/cli/project/image/app.ts') || path.endsWith('/cli/package/prepared.ts')) return undefined;
      const text = await readFile(path, 'utf8');
      const address = `new URL(${JSON.stringify(`../${relative(ROOT, path)}`)}, import.meta.url).href`;
      return { loader: 'ts', contents: text.replaceAll('import.meta.url', address) };
    });
  },
};
