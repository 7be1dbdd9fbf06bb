// Which clock says what. A moment that is kept (when something ends, was made, was used) is judged by the
// process's clock: `ctx.clock()`. A lease that processes compete for is judged by the database's `now()`, or
// by core/kernel/lease.ts. How long something takes or may take within a process is measured by
// `performance.now()`, which nobody sets. The machine's own clock is read directly only here.
import { glob, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '../..');

/** Why each reads it; what is measured within a process is never a reason. */
const READS: Readonly<Record<string, string>> = {
  'api/context.ts': 'the clock of requests',
  'api/http/recheck.ts': 'the clock of requests, where there is none',
  'api/routes/identity/compose.ts': 'the clock of requests',
  'core/agents/setup/call.ts': 'when a seal was made, as the host sees it',
  'core/kernel/ids.ts': 'ids tell when',
  'core/kernel/sso.ts': 'when a person signed in, as is asked where there is no context',
  'core/platform/worker-build/start.ts': 'the clock of its context',
  'drivers/idp/access-tokens.ts': 'when a token ends, for tests to set',
  'drivers/idp/adapter.ts': 'when what the provider keeps ends',
  'drivers/idp/login.ts': 'when a sign-in ends, for tests to set',
  'drivers/idp/registration.ts': 'when a client was registered, as it is told',
  'drivers/llm/errors.ts': 'how long to wait, where a provider names a moment',
  'drivers/payments/builtin/builtin.ts': 'moments of the test processor, for tests to set',
  'drivers/scm/locks.ts': 'how old a file is, by its own time',
  'drivers/scratch/folder.ts': 'how old a file is, by its own time',
  'drivers/workflows/temporal-schedules.ts': 'the deadline of a call, which the library takes as a moment',
  'drivers/workflows/temporal.ts': 'the deadline of a call, which the library takes as a moment',
  'drivers/workflows/versions.ts': 'the deadline of a call, which the library takes as a moment',
  'imports/main.ts': 'the clock of its context',
  'worker/metrics/metrics.ts': 'how long ago another process scheduled an activity',
  'worker/start.ts': 'the clock of its context',
};

const COMMENT = /^\s*(?:\/\/|\*|\/\*)/;

test('the machine’s clock is read where a moment is needed, and nowhere else', async () => {
  const paths = await Array.fromAsync(glob('{api,core,drivers,imports,worker}/**/*.ts', { cwd: root }));
  const sources = paths.filter((path) => !/\.test\.ts$|\/test\/|\/templates\/|conformance\.ts$|\/project\//.test(path));
  expect(sources.length).toBeGreaterThan(1_000);
  const reads = async (path: string): Promise<boolean> => {
    const lines = (await readFile(join(root, path), 'utf8')).split('\n');
    return lines.some((line) => /\bDate\.now\b/.test(line) && !COMMENT.test(line));
  };
  const found = (await Promise.all(sources.map(async (path) => ((await reads(path)) ? [path] : [])))).flat();
  expect(found.toSorted()).toEqual(Object.keys(READS).toSorted());
});
