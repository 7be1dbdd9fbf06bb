// The program of the box's half of `svc dev`, in one file.
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type Metafile } from 'esbuild';
import { whereItStood } from './where-it-stood.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

export async function bundleBox(): Promise<{ program: Buffer; metafile: Metafile }> {
  const { outputFiles, metafile } = await build({
    // Aliases are looked for from here, wherever the tool was started.
    absWorkingDir: ROOT,
    entryPoints: [join(ROOT, 'cli/dev/box/main.ts')],
    outfile: 'box.mjs',
    write: false,
    metafile: true,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node24',
    external: ['esbuild'],
    alias: { 'jsonc-parser': 'jsonc-parser/lib/esm/main.js' },
    banner: { js: `import { createRequire as svcRequire } from 'node:module'; const require = svcRequire(import.meta.url);` },
    minifySyntax: true,
    minifyWhitespace: true,
    logLevel: 'error',
    plugins: [whereItStood],
  });
  return { program: Buffer.from(outputFiles[0]?.contents ?? []), metafile };
}
