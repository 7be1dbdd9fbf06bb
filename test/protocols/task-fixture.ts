// The example agent for the suites, loaded from this tree as `svc` would load it.
import { registerHooks } from 'node:module';
import { pathToFileURL } from 'node:url';
import { join } from 'node:path';
import type { Agent } from '#sdk/typescript/authoring/agent.ts';

const ROOT = join(import.meta.dirname, '../..');

export async function taskFixture(): Promise<Agent> {
  const sdk = pathToFileURL(join(ROOT, 'sdk/typescript/index.ts')).href;
  registerHooks({ resolve: (specifier, context, next) => (specifier === '@svc/sdk' ? { url: sdk, shortCircuit: true } : next(specifier, context)) });
  // Not by a literal: the example's own project checks its types.
  const module = (await import(pathToFileURL(join(ROOT, 'examples/task-fixture/agent.ts')).href)) as { TaskFixture: new () => Agent };
  return new module.TaskFixture();
}
