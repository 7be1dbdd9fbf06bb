// The TypeScript samples are projects: they load as `svc validate` loads them, and their tests pass. Their
// types are checked with the repository's.
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { checkProject } from '#cli/project/check.ts';
import { testDatabase } from '#test/support/servers.ts';

const run = promisify(execFile);
const folderOf = (name: string): string => fileURLToPath(new URL(name, import.meta.url));
const register = new URL('./register.ts', import.meta.url).href;

describe.each([
  { folder: 'greeter', agent: 'greeter', skills: 2 },
  { folder: 'refunds', agent: 'refunds', skills: 1 },
  { folder: 'from-mcp', agent: 'stock', skills: 2 },
  { folder: 'typescript', agent: 'front-desk', skills: 13 },
  { folder: 'databases', agent: 'notes', skills: 2 },
  { folder: 'embeddings', agent: 'closest', skills: 1 },
])('$folder', ({ folder, agent, skills }) => {
  test('the project is valid', async () => {
    const { card } = await checkProject(folderOf(folder));
    expect(card.name).toBe(agent);
    expect(card.skills).toHaveLength(skills);
  });

  test('its own tests pass', async () => {
    const { VITEST: _, NODE_OPTIONS: __, NODE_TEST_CONTEXT: ___, ...env } = process.env;
    const DATABASE_URL = folder === 'databases' ? (await testDatabase()).url : undefined;
    const args = ['--disable-warning=ExperimentalWarning', '--import', register, '--test', '--test-reporter=tap', 'test/agent.ts'];
    const { stdout } = await run(process.execPath, args, { cwd: folderOf(folder), env: { ...env, DATABASE_URL } });
    expect(Number(/^# pass (\d+)$/m.exec(stdout)?.[1])).toBeGreaterThanOrEqual(skills);
    expect(stdout).toMatch(/^# fail 0$/m);
  });
});
