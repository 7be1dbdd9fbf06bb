// The Python sample: strict types, style, its tests, and the same skills as the TypeScript one.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, test } from 'vitest';
import { checkProject } from '#cli/project/check.ts';
import { AgentCard } from '#contract/wire/card.ts';
import { PYTHON, pythonWithSdk, SDK, WITHOUT_PYTHON } from '#test/support/languages/python.ts';

const run = promisify(execFile);
const here = fileURLToPath(new URL('.', import.meta.url));

describe.skipIf(!PYTHON)(`the Python sample (${PYTHON ?? WITHOUT_PYTHON})`, () => {
  let python: string;
  const inFolder = async (...args: string[]): Promise<string> =>
    (await run(python, args, { cwd: join(here, 'python'), env: { ...process.env, PYTHONDONTWRITEBYTECODE: '1' } })).stdout;
  beforeAll(async () => {
    python = await pythonWithSdk();
  });

  test('its types are strict and its style is the SDK’s', async () => {
    await inFolder('-m', 'mypy', '--strict', '--cache-dir', '/dev/null', '.');
    await inFolder('-m', 'ruff', 'check', '--no-cache', '--config', join(SDK, 'pyproject.toml'), '.');
    await inFolder('-m', 'ruff', 'format', '--no-cache', '--check', '--config', join(SDK, 'pyproject.toml'), '.');
  });

  test('its own tests pass', async () => {
    expect(await inFolder('-m', 'pytest', '-q', '-p', 'no:cacheprovider')).toMatch(/^1\d passed/m);
  });

  test('it has the skills of the TypeScript sample', async () => {
    const card = AgentCard.parse(JSON.parse(await inFolder('-m', 'svc', 'card', 'agent:FrontDesk')));
    const twin = await checkProject(join(here, 'typescript'));
    expect(card.skills.map(({ id }) => id).toSorted()).toEqual(twin.card.skills.map(({ id }) => id).toSorted());
  });
});
