// The official MCP conformance suite at both doors of a deployed agent: its own address, and the route of the
// API, whose callers are signed in.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { repository } from '../../e2e/installation.ts';
import { signingProxy } from './signing-proxy.ts';
import { type Counts, print, type Suite } from './suite.ts';
import { type DeployedWorld, outputOf } from './world.ts';

const PROGRAM = join(repository, 'node_modules/@modelcontextprotocol/conformance/dist/index.js');
const REVISIONS = ['2025-11-25', '2026-07-28'] as const;
type Door = 'host' | 'api';

/** It wants an agent at localhost itself, where the API is; the agent's own host takes no other Host. */
const AT_A_HOST = '  - dns-rebinding-protection\n';

const mcp = (revision: (typeof REVISIONS)[number], door: Door): Suite => ({
  name: `mcp-${revision}-${door}`,
  agents: ['conformance'],
  async run(world) {
    if (door === 'host') return run(world, revision, `${world.urlOf('conformance')}/mcp`, door);
    const proxy = await signingProxy(world.baseUrl, world.token);
    try {
      return await run(world, revision, `${proxy.url}/v1/agents/conformance/mcp`, door);
    } finally {
      await proxy.close();
    }
  },
});

export const mcpSuites: readonly Suite[] = REVISIONS.flatMap((revision) => [mcp(revision, 'host'), mcp(revision, 'api')]);

async function run(world: DeployedWorld, revision: string, url: string, door: Door): Promise<Counts> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-conformance-'));
  const expected = join(folder, 'expected-failures.yaml');
  const args = ['server', '--url', url, '--suite', 'all', '--spec-version', revision, '--timeout', '120000', '-o', folder];
  try {
    const known = await readFile(join(import.meta.dirname, `../expected-failures-${revision}.yaml`), 'utf8');
    await writeFile(expected, door === 'host' ? known + AT_A_HOST : known);
    const { code, stdout, stderr } = await outputOf(world.start(process.execPath, [PROGRAM, ...args, '--expected-failures', expected], { cwd: folder }));
    const report = stripVTControlCharacters(`${stdout}${stderr}`);
    const summary = report.slice(report.indexOf('=== SUMMARY ==='));
    print(summary);
    const passed = (summary.match(/^\s*✓ /gm) ?? []).length;
    const failed = (summary.match(/^\s*✗ /gm) ?? []).length;
    // The program compares with the list: what fails and is not in it, and what is in it and passes.
    return code === 0 && passed > 0 ? { passed, failed: 0, listed: failed } : { passed, failed: Math.max(failed, 1) };
  } finally {
    await rm(folder, { recursive: true });
  }
}
