// The official MCP conformance suite against an agent of ours: all it has for a revision of the protocol,
// what is not required included. What fails must be in expected-failures-<revision>.yaml, each with its
// reason, and what is in there must fail.
import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { serve } from '#sdk/typescript/test/serve.ts';
import { ConformanceAgent } from './conformance-agent.ts';
import { cites } from '../spec/verifies.ts';

const SUITE = join(import.meta.dirname, '../../node_modules/@modelcontextprotocol/conformance/dist/index.js');
const REVISIONS = ['2025-11-25', '2026-07-28'] as const;
const expectedIn = (revision: string): string => join(import.meta.dirname, `expected-failures-${revision}.yaml`);

const Checks = z.array(z.object({ id: z.string(), status: z.string() }));

interface Outcome {
  code: number;
  report: string;
  /** Ids of the checks of one scenario that failed. */
  failedIn: (scenario: string) => Promise<string[]>;
}

async function conformance(url: string, args: readonly string[]): Promise<Outcome> {
  const cwd = await mkdtemp(join(tmpdir(), 'svc-conformance-'));
  onTestFinished(() => rm(cwd, { recursive: true, force: true }));
  return await new Promise((resolve) => {
    execFile(
      process.execPath,
      [SUITE, 'server', '--url', url, '-o', cwd, ...args],
      { cwd, timeout: 110_000, maxBuffer: 32 * 1024 * 1024 },
      (error, stdout, stderr) => {
        // Colours are for terminals.
        const report = `${stdout}${stderr}`.replaceAll(/\u001b\[[0-9;]*m/g, '');
        resolve({ code: error ? Number(error.code ?? 1) : 0, report, failedIn: (scenario) => failedChecks(cwd, scenario) });
      },
    );
  });
}

async function failedChecks(folder: string, scenario: string): Promise<string[]> {
  const name = (await readdir(folder)).find((entry) => entry.startsWith(`server-${scenario}-2`));
  const checks = Checks.parse(JSON.parse(await readFile(join(folder, name ?? scenario, 'checks.json'), 'utf8')));
  return checks.filter(({ status }) => status === 'FAILURE').map(({ id }) => id);
}

describe.each(REVISIONS)('MCP over Streamable HTTP: the official conformance suite, revision %s', cites('endpoints.mcp'), (revision) => {
  // The suite counts the tasks extension to what is required, and not to all it has.
  it.each(['all', 'required'] as const)('passes %s of it but for what it cannot test of an agent', async (which) => {
    const agent = await serve(ConformanceAgent);
    const scenarios = which === 'all' ? ['--suite', 'all', '--spec-version', revision] : ['--requirements', revision];
    const { code, report, failedIn } = await conformance(`${agent.url}/mcp`, [...scenarios, '--expected-failures', expectedIn(revision)]);
    const summary = report.slice(report.indexOf('=== SUMMARY ==='));
    expect(code, summary).toBe(0);
    // It ran at all.
    expect(Number(/Total: (\d+) passed/.exec(report)?.[1] ?? 0)).toBeGreaterThan(20);
    for (const must of revision === '2026-07-28' ? MUST_2026 : MUST_2025) expect(summary).toContain(`✓ ${must}: `);
    if (revision !== '2026-07-28') return;
    expect(await failedIn('server-stateless')).toEqual(STATELESS_FAILS);
  });

  it('each expected failure has its reason', async () => {
    const text = await readFile(expectedIn(revision), 'utf8');
    const { server } = z.object({ server: z.array(z.string()) }).parse(parse(text));
    for (const scenario of server) expect(text, scenario).toMatch(new RegExp(`- ${scenario} +# .{8}`));
  });
});

/** Checks of the extension for tasks that fail, with the reason. */
const TASK_SCENARIOS: [scenario: string, fails: string[]][] = [
  // Wants a tool that breaks the protocol: a skill that throws has an error result.
  ['tasks-lifecycle', ['sep-2663-tasks-get-status-failed']],
  ['tasks-capability-negotiation', []],
  ['tasks-wire-fields', []],
  ['tasks-request-state-removal', []],
  ['tasks-mrtr-input', []],
  ['tasks-request-headers', []],
  ['tasks-dispatch-and-envelope', []],
  // Wants a tool that works as a task only: every skill can also be waited for.
  ['tasks-required-task-error', ['sep-2663-server-returns-missing-capability-when-required']],
  // Wants a question before there is a task: a run that asks is a task already.
  ['tasks-mrtr-composition', ['sep-2663-mrtr-synchronous-before-task-creation']],
];

it.each(TASK_SCENARIOS)('MCP: the official conformance suite, %s', async (scenario, fails) => {
  const agent = await serve(ConformanceAgent);
  const { report, failedIn } = await conformance(`${agent.url}/mcp`, ['--scenario', scenario, '--spec-version', '2026-07-28', '--force']);
  expect(await failedIn(scenario), report).toEqual(fails);
});

/** These may not become expected failures one day. */
const MUST_2025 = [
  'server-initialize',
  'logging-set-level',
  'tools-call-with-logging',
  'ping',
  'tools-list',
  'tools-call-simple-text',
  'tools-call-error',
  'tools-call-with-progress',
  'prompts-get-with-args',
  'prompts-get-embedded-resource',
  'prompts-get-with-image',
  'completion-complete',
  'resources-list',
  'resources-read-text',
  'resources-read-binary',
  'resources-templates-read',
  'resources-subscribe',
  'resources-unsubscribe',
  'server-sse-polling',
  'json-schema-2020-12',
  'dns-rebinding-protection',
];
const MUST_2026 = [
  'tools-list',
  'tools-call-simple-text',
  'tools-call-error',
  'tools-call-with-progress',
  'prompts-get-with-args',
  'prompts-get-embedded-resource',
  'prompts-get-with-image',
  'completion-complete',
  'caching',
  'resources-list',
  'resources-read-text',
  'resources-read-binary',
  'resources-templates-read',
  'sep-2164-resource-not-found',
  'json-schema-2020-12',
  'dns-rebinding-protection',
  'input-required-result-basic-elicitation',
  'input-required-result-ignore-extra-params',
  'input-required-result-non-tool-request',
  'input-required-result-request-state',
  'input-required-result-multi-round',
  'input-required-result-tampered-state',
];

/** A tool that demands sampling of its caller, which no skill does. */
const STATELESS_FAILS = ['sep-2575-server-rejects-undeclared-capability', 'sep-2575-missing-capability-http-400'];
