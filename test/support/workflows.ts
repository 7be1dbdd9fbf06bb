// The workflow code, bundled once per state of the sources, as a worker of the platform takes it.
import { workflowBundle } from '#worker/bundle.ts';
import { cacheFolder } from '#stack/setup/folders.mjs';

export async function testWorkflows(): Promise<{ codePath: string }> {
  const { codePath } = await workflowBundle(cacheFolder(process.env));
  return { codePath };
}
