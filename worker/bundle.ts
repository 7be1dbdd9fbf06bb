// The workflow bundle, made once per state of the code: Temporal runs it in an isolate, so it cannot be loaded as it is.
import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode } from '@temporalio/worker';

const workflowsFolder = fileURLToPath(new URL('../workflows', import.meta.url));
const lockFile = fileURLToPath(new URL('../package-lock.json', import.meta.url));

/** Resolves with the path of the bundle, cached under `cacheDir` by the hash of the workflow sources and the dependency lock. */
export async function workflowBundle(cacheDir: string): Promise<{ codePath: string }> {
  const folder = join(cacheDir, 'workflows');
  const codePath = join(folder, `${await sourcesHash()}.js`);
  await mkdir(folder, { recursive: true });
  const cached = await readFile(codePath).then(
    () => true,
    () => false,
  );
  if (!cached) {
    const { code } = await bundleWorkflowCode({ workflowsPath: join(workflowsFolder, 'index.ts') });
    const temporary = `${codePath}.${process.pid}`;
    await writeFile(temporary, code);
    await rename(temporary, codePath);
  }
  return { codePath };
}

async function sourcesHash(): Promise<string> {
  const hash = createHash('sha256').update(await readFile(lockFile));
  for (const name of (await readdir(workflowsFolder)).filter((n) => n.endsWith('.ts') && !n.endsWith('.test.ts')).sort()) {
    hash.update(name).update(await readFile(join(workflowsFolder, name)));
  }
  return hash.digest('hex').slice(0, 32);
}
