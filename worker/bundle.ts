// The workflow bundle, made once per state of the code: Temporal runs it in an isolate, so it cannot be
// loaded as it is.
import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode } from '@temporalio/worker';
import { failureConverterPath } from './converter.ts';

const workflowsFolder = fileURLToPath(new URL('../workflows', import.meta.url));
const lockFile = fileURLToPath(new URL('../package-lock.json', import.meta.url));

export interface WorkflowBundle {
  codePath: string;
  /** Names this code: equal for equal sources and dependencies, wherever they lie. */
  buildId: string;
}

/**
 * Resolves with the bundle, cached under `cacheDir` by the hash of the workflow sources and the dependency
 * lock.
 */
export async function workflowBundle(cacheDir: string): Promise<WorkflowBundle> {
  const folder = join(cacheDir, 'workflows');
  const buildId = await sourcesHash();
  const codePath = join(folder, `${buildId}.js`);
  await mkdir(folder, { recursive: true });
  const cached = await readFile(codePath).then(
    () => true,
    () => false,
  );
  if (!cached) {
    const { code } = await bundleWorkflowCode({ workflowsPath: join(workflowsFolder, 'index.ts'), failureConverterPath });
    const temporary = `${codePath}.${process.pid}`;
    await writeFile(temporary, code);
    await rename(temporary, codePath);
  }
  return { codePath, buildId };
}

async function sourcesHash(): Promise<string> {
  const hash = createHash('sha256').update(await readFile(lockFile));
  const names = (await readdir(workflowsFolder, { recursive: true })).filter((n) => n.endsWith('.ts') && !n.endsWith('.test.ts'));
  for (const name of names.sort()) hash.update(name).update(await readFile(join(workflowsFolder, name)));
  return hash.digest('hex').slice(0, 32);
}
