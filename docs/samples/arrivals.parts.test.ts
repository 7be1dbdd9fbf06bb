// What people bring from elsewhere (docs/coming-from/): as they have it, `svc init --from` writes the files
// that the sample shows, and the agent's own tests pass on the real framework.
import { execFile } from 'node:child_process';
import { cp, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, describe, expect, test } from 'vitest';
import { adopt } from '#cli/project/adopt.ts';
import { FRAMEWORKS, frameworkPython } from '#test/support/languages/frameworks.ts';
import { PYTHON, WITHOUT_PYTHON } from '#test/support/languages/python.ts';

const run = promisify(execFile);
const folders: string[] = [];
afterAll(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true }))));

const SAMPLES = [
  { sample: 'from-langsmith', framework: 'langgraph', name: 'refund-desk', description: 'Refunds orders.', tests: 2 },
  { sample: 'from-fastapi', framework: 'fastapi', name: 'orders', description: 'Takes and cancels orders.', tests: 1 },
];

describe.each(SAMPLES)('$sample', ({ sample, framework, name, description, tests }) => {
  const source = join(import.meta.dirname, sample);

  test('svc init --from writes the files of the sample', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'svc-arrival-'));
    folders.push(folder);
    await cp(source, folder, { recursive: true, filter: (path) => !/svc_agent\.py$|svc\.yaml$|__pycache__/.test(path) });
    const { written } = await adopt({ name, description, folder });
    expect(written).toEqual(['svc.yaml', 'svc_agent.py']);
    for (const file of written) expect(await readFile(join(folder, file), 'utf8')).toBe(await readFile(join(source, file), 'utf8'));
  });

  test.skipIf(!PYTHON)(
    `its own tests pass (${PYTHON ?? WITHOUT_PYTHON})`,
    async () => {
      const found = FRAMEWORKS.find((one) => one.name === framework);
      if (!found) throw new Error(`there is no framework ${framework}`);
      const requirement = (await readFile(join(source, 'requirements.txt'), 'utf8')).trim();
      expect(found.newest).toContain(requirement);
      const env = { ...process.env, PYTHONDONTWRITEBYTECODE: '1' };
      const { stdout } = await run(await frameworkPython(found, 'newest'), ['-m', 'pytest', '-q', '-p', 'no:cacheprovider'], { cwd: source, env });
      expect(stdout).toMatch(new RegExp(`^${tests} passed`, 'm'));
    },
    600_000,
  );
});
