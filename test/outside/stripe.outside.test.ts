// Stripe's API, described by Stripe, called through a generated agent at Stripe's own stripe-mock, which
// refuses what its description does not allow.
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { planApi } from '#core/imports/openapi/generate/plan.ts';
import type { Plan } from '#core/imports/openapi/generate/model.ts';
import { projectFiles } from '#core/imports/openapi/print/project.ts';
import { agentClassOf } from '#core/imports/openapi/test/agent.ts';
import { exampleOf } from '#contract/wire/example.ts';
import { testAgent } from '#sdk/typescript/testing.ts';
import { withDefinitions } from '#sdk/typescript/http/schemas.ts';
import { accepts, freePort } from '#stack/ports.ts';
import { goProgram } from './cache.ts';

const nothing = { tags: [], methods: [], match: undefined, names: [] };
let mock: ChildProcess;
let folder: string;
let text: string;
let base: string;

beforeAll(async () => {
  const { program, module } = await goProgram('github.com/stripe/stripe-mock', 'v0.203.0');
  text = await readFile(join(module, 'embedded', 'openapi', 'spec3.json'), 'utf8');
  const port = await freePort();
  base = `http://127.0.0.1:${port}`;
  mock = spawn(program, ['-http-port', String(port), '-strict-version-check=false'], { stdio: 'ignore' });
  await vi.waitUntil(() => accepts('127.0.0.1', port), { timeout: 30_000 });
  folder = await mkdtemp(join(tmpdir(), 'svc-stripe-'));
});
afterAll(async () => {
  mock?.kill();
  if (folder) await rm(folder, { recursive: true, force: true });
});

function planned(): Plan {
  const began = performance.now();
  const options = {
    name: 'stripe',
    description: undefined,
    baseUrl: base,
    sourceUrl: undefined,
    include: nothing,
    pins: nothing,
    mode: 'auto' as const,
    auth: undefined,
  };
  const plan = planApi(text, options);
  process.stdout.write(`Stripe: ${plan.operations.length} operations planned in ${(performance.now() - began).toFixed(0)} ms\n`);
  return plan;
}

const WANTED = [
  'post_customers', 'get_customers', 'get_customers_customer', 'post_customers_customer', 'post_products', 'post_prices', 'post_invoices', 'post_invoiceitems',
  'post_payment_intents', 'post_payment_intents_intent_confirm', 'post_refunds', 'get_balance', 'get_charges', 'post_subscriptions', 'post_checkout_sessions',
  'post_coupons', 'post_tax_rates', 'get_events', 'post_webhook_endpoints', 'post_payment_links',
]; // prettier-ignore

/**
 * What a caller would send beside what the schema requires: lists of objects, in the form that Stripe wants
 * them.
 */
const MORE: Record<string, object> = {
  post_customers: { name: 'Ada', metadata: { order: '1' }, address: { city: 'Bern', country: 'CH' } },
  post_subscriptions: { items: [{ price: 'price_1', quantity: 2 }] },
  post_checkout_sessions: {
    mode: 'payment',
    line_items: [{ quantity: 1, price_data: { currency: 'usd', unit_amount: 100, product_data: { name: 'Tea' } } }],
    success_url: 'https://a.test',
  },
  post_payment_links: { line_items: [{ price: 'price_1', quantity: 1 }] },
  post_invoices: { customer: 'cus_1', expand: ['customer'] },
  get_charges: { created: { gte: 1 }, limit: 3 },
};

test('twenty operations, called by name: no parameter is refused', async () => {
  const plan = planned();
  await writeFile(
    join(folder, 'operations.json'),
    projectFiles({ name: 'stripe', plan, public: undefined }).find(({ path }) => path === 'operations.json')?.content ?? '',
  );
  const agent = testAgent(agentClassOf(plan, { operations: pathToFileURL(join(folder, 'operations.json')) }), { setup: { bearerAuth: 'sk_test_123' } });
  const invoke = agent.invoke as unknown as (skill: string, args: object) => Promise<{ result: unknown }>;
  const refused: string[] = [];
  const schemas = plan.schemas as Record<string, Record<string, unknown>>;
  for (const name of WANTED) {
    const operation = plan.operations.find((one) => one.name === name);
    if (!operation) {
      refused.push(`${name}: there is no such operation`);
      continue;
    }
    const example = exampleOf(withDefinitions(operation.input, schemas));
    const args = { ...(typeof example === 'object' ? example : {}), ...MORE[name] };
    await invoke('call_operation', { operation: name, arguments: args }).catch((error: unknown) =>
      refused.push(`${name} ${JSON.stringify(args)}: ${String(error)}`),
    );
  }
  expect(refused).toEqual([]);
});

test('a search finds what a person would say', async () => {
  const plan = planned();
  await writeFile(
    join(folder, 'operations.json'),
    projectFiles({ name: 'stripe', plan, public: undefined }).find(({ path }) => path === 'operations.json')?.content ?? '',
  );
  const agent = testAgent(agentClassOf(plan, { operations: pathToFileURL(join(folder, 'operations.json')) }));
  const invoke = agent.invoke as unknown as (skill: string, args: object) => Promise<{ result: { total: number; operations: { name: string }[] } }>;
  const { result } = await invoke('search_operations', { query: 'refund a charge' });
  expect(result.operations.map(({ name }) => name)).toContain('post_refunds');
  // "a" is in most descriptions, and finds none of them.
  expect(result.total).toBeLessThan(150);
});
