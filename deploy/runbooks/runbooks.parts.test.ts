// The operators' pages are kept true: every saved query runs on a real server, every workflow type is listed
// as it is, every metric that an alert names is one that we serve, and every alert has its page.
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { NativeConnection, Runtime, Worker } from '@temporalio/worker';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { createMetrics as apiMetrics } from '#api/http/metrics.ts';
import { measure } from '#core/platform/housekeeping/measure.ts';
import { createMetrics as hostMetrics } from '#host/metrics.ts';
import { testContext, type TestContext } from '#test/support/context.ts';
import { testTemporal } from '#test/support/servers.ts';
import { serveHealth } from '#worker/health.ts';
import { createMetrics as workerMetrics } from '#worker/metrics/metrics.ts';
import { freeAddress, temporalExporter, temporalMetrics } from '#worker/metrics/temporal.ts';
import * as workflows from '#workflows/index.ts';
import { pinned } from '#workflows/versioning.ts';

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const views = await readFile(here('saved-views.md'), 'utf8');
const rows = views.split('\n').flatMap((line) => (line.startsWith('| ') ? [line.split(' | ').map((cell) => cell.replace(/^\| | \|$/g, '').trim())] : []));
const saved = rows.flatMap(([name = '', filter = '', third]) => (third === undefined && filter.startsWith('`') ? [{ name, filter: filter.slice(1, -1) }] : []));
const types = rows.flatMap(([type = '', , kind = '', versions = '']) =>
  type.startsWith('`') && versions !== '' ? [{ type: type.slice(1, -1), kind: kind.slice(1, -1), versions }] : [],
);

let t: TestContext;
let temporal: { address: string; namespace: string };
let exporter: string;
beforeAll(async () => {
  exporter = await freeAddress();
  Runtime.install({ telemetryOptions: { metrics: { prometheus: temporalExporter(exporter) } } });
  temporal = await testTemporal();
  t = await testContext({ temporal });
});
afterAll(() => t.close());

test.each(saved)('$name', async ({ name, filter }) => {
  const url = /\((http[^)]*)\)/.exec(name)?.[1] ?? '';
  expect(new URL(url).searchParams.get('query')).toBe(filter);
  const { executions } = await t.temporal.workflowService.listWorkflowExecutions({ namespace: temporal.namespace, query: filter, pageSize: 1 });
  expect(Array.isArray(executions)).toBe(true);
});

test('there are views, and a wrong one would be refused', async () => {
  expect(saved.length).toBeGreaterThan(8);
  await expect(t.temporal.workflowService.listWorkflowExecutions({ namespace: temporal.namespace, query: "SvcColour = 'red'" })).rejects.toThrow();
});

test('every workflow type is listed, with what it does when the code changes', () => {
  const behaviour = Object.entries(workflows).map(([type, code]) => ({ type, versions: isPinned(code) ? 'pinned' : 'follows' }));
  expect(types.map(({ type, versions }) => ({ type, versions })).sort(byType)).toEqual(behaviour.sort(byType));
});

/** A text as code writes it: itself, or a constant of these sources. */
function valueOf(written: string, sources: readonly string[]): string | undefined {
  if (written.startsWith("'")) return written.slice(1, -1);
  return sources.flatMap((source) => new RegExp(`const ${written} = '(\\w+)'`).exec(source)?.[1] ?? [])[0];
}

test('every kind that a workflow is started as is listed', async () => {
  const core = here('../../core');
  const files = (await readdir(core, { recursive: true })).filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'));
  const sources = await Promise.all(files.map((name) => readFile(join(core, name), 'utf8')));
  const named = sources.flatMap((source) => [...source.matchAll(/SvcKind: '(\w+)'/g)].map(([, kind]) => kind)).filter((kind) => kind !== 'unknown');
  // Of long work it is the kind of the workflow, or else that of its job.
  const works = sources.flatMap((source) => [...source.matchAll(/beginWork\(ctx, \{\n(.*?)\n\s*\}\);/gs)].map(([, work = '']) => work));
  const begun = works.map((work) => /workflow: .*?kind: '(\w+)'/s.exec(work)?.[1] ?? valueOf(/^\s*kind: (.+),$/m.exec(work)?.[1] ?? '', sources));
  expect(begun.length).toBeGreaterThan(10);
  expect(new Set(types.map(({ kind }) => kind))).toEqual(new Set([...named, ...begun]));
});

const Rules = z.object({
  groups: z.array(
    z.object({
      rules: z.array(
        z.strictObject({
          alert: z.string(),
          expr: z.string(),
          for: z.string(),
          labels: z.object({ severity: z.enum(['page', 'ticket']) }),
          annotations: z.object({ summary: z.string(), runbook: z.string() }),
        }),
      ),
    }),
  ),
});
const alerts = Rules.parse(parse(await readFile(here('alerts.yml'), 'utf8'))).groups.flatMap(({ rules }) => rules);

test('every alert has a page that says what it means, where to look and what to do', async () => {
  const pages = await readdir(here('alerts'));
  expect(pages.sort()).toEqual(alerts.map(({ alert }) => `${alert}.md`).sort());
  for (const { alert, annotations } of alerts) {
    expect(annotations.runbook).toBe(`deploy/runbooks/alerts/${alert}.md`);
    const page = await readFile(here(`alerts/${alert}.md`), 'utf8');
    for (const part of [`# ${alert}: `, '**What it means.**', '**Look here**', '**Do this**']) expect(page).toContain(part);
    for (const [, file = ''] of page.matchAll(/\]\(([\w./-]+\.md)\)/g)) await readFile(join(here('alerts'), file));
  }
});

test('what an alert compares can match: two series of one metric differ in a label, which has to be left aside', () => {
  const between = /(\w+)\{[^}]*\}\s*[-+*/]\s*(ignoring\(\w+\)\s*)?\1\{/;
  const compared = alerts.flatMap(({ alert, expr }) => {
    const [found, , ignoring] = between.exec(expr) ?? [];
    return found === undefined ? [] : [{ alert, matches: ignoring !== undefined }];
  });
  expect(compared.map(({ alert }) => alert)).toEqual(['SvcMemoryFull', 'SvcDiskShort']);
  expect(compared.filter(({ matches }) => !matches)).toEqual([]);
});

test('every metric that an alert names is served', async () => {
  const activity = vi.fn(async () => 'done');
  const metrics = workerMetrics(() => measure(t.ctx.db), t.stateDir);
  const connection = await NativeConnection.connect({ address: temporal.address });
  const taskQueue = 'runbooks';
  const worker = await Worker.create({
    connection,
    namespace: temporal.namespace,
    taskQueue,
    workflowsPath: here('../../worker/version/test/before.ts'),
    activities: { note: activity },
    interceptors: { activity: [metrics.activities] },
  });
  const folder = await mkdtemp(join(tmpdir(), 'svc-metrics-'));
  const socketPath = join(folder, 'worker.sock');
  const health = await serveHealth({
    socketPath,
    port: undefined,
    hostSocket: join(folder, 'no-host.sock'),
    workers: [worker],
    metrics: async () => (await Promise.all([metrics.registry.metrics(), temporalMetrics(exporter)])).join('\n'),
  });
  await worker.runUntil(async () => {
    const handle = await t.temporal.workflow.start('long', { workflowId: `runbooks-${Date.now()}`, taskQueue });
    await handle.signal('go');
    await handle.result();
    // A task that fails: the code knows no such workflow.
    const unknown = await t.temporal.workflow.start('unknown', { workflowId: `unknown-${Date.now()}`, taskQueue });
    await vi.waitFor(async () => expect(await temporalMetrics(exporter)).toContain('temporal_workflow_task_execution_failed_total{'), { timeout: 15_000 });
    await unknown.terminate();
    expect(await get(socketPath, '/healthz')).toMatchObject({ status: 200 });
  });
  metrics.loop('outbox', false);
  const own = await get(socketPath, '/metrics');
  expect(own.body).toMatch(/svc_activity_attempts_total\{activity="note",outcome="completed"\} [1-9]/);
  expect(own.body).toMatch(/svc_database_up 1/);
  // Neither a host that is down nor a database that is down hides the rest.
  expect(await get(socketPath, '/metrics/host')).toMatchObject({ status: 502 });
  expect(await workerMetrics(() => Promise.reject(new Error('down')), t.stateDir).registry.metrics()).toMatch(/svc_database_up 0/);
  await health.close();
  await connection.close();
  await rm(folder, { recursive: true });
  const served = new Set(
    [own.body, await apiMetrics().registry.metrics(), await hostMetrics().registry.metrics()].flatMap((body) =>
      [...body.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name),
    ),
  );
  for (const { alert, expr } of alerts) {
    const named = [...expr.matchAll(/\b(?:svc|temporal|process|nodejs)_\w+/g)].map(([name]) => name.replace(/_(?:bucket|count|sum)$/, ''));
    if (!expr.startsWith('up{')) expect(named.length, alert).toBeGreaterThan(0);
    for (const name of named) expect(served, alert).toContain(name);
  }
});

/** The library keeps on a workflow's function what makes its options. */
function isPinned(code: unknown): boolean {
  return typeof code === 'function' && Reflect.get(code, 'workflowDefinitionOptions') === pinned;
}

function byType(a: { type: string }, b: { type: string }): number {
  return a.type < b.type ? -1 : 1;
}

function get(socketPath: string, path: string): Promise<{ status: number | undefined; body: string }> {
  return new Promise((resolve, reject) => {
    request({ socketPath, path }, (response) => void text(response).then((body) => resolve({ status: response.statusCode, body }), reject))
      .once('error', reject)
      .end();
  });
}
