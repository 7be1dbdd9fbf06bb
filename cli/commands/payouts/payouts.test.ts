// The commands over the real verbs and a real database: a creator who was paid, and what they check it with.
import { readFile, rm, writeFile, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getPublicKeyAsync } from '@noble/ed25519';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { serveForTest } from '#api/http/test/serve.ts';
import { payoutRoutes, payoutStatementRoutes } from '#api/routes/money/payouts.ts';
import { payoutsAdminRoutes } from '#api/routes/platform/payouts.ts';
import { payouts, payoutStatements } from '#contract/money/payouts.ts';
import { payoutsAdmin } from '#contract/platform/payouts.ts';
import { publicRoutes } from '#contract/public/public.ts';
import { publishedKeys } from '#core/evidence/receipt/published-keys.ts';
import type { Ctx } from '#core/kernel/ctx.ts';
import { testContext, type TestContext } from '#test/support/context.ts';
import { addPaidCreator, type PaidCreator } from '#test/support/payouts.ts';
import { testProcessor } from '#test/support/processor.ts';
import { signedIn, toolAt } from '../../test/signed-in.ts';

let t: TestContext;
let me: Ctx;
let paid: PaidCreator;
let folder: string;
const file = (name: string): string => join(folder, name);

/** Each handler runs as the creator, who is an operator too, for every caller. */
// Safe: handlers are functions whose first argument is the context.
const asMe = <T extends object>(routes: T): T =>
  new Proxy(routes, {
    get: (target, name) => {
      const handler = Reflect.get(target, name) as (...args: unknown[]) => unknown;
      return (_: Ctx, ...rest: unknown[]) => handler(me, ...rest);
    },
  });

const { tool } = await toolAt(
  await serveForTest(
    { payouts: { ...payouts, ...payoutStatements }, payoutsAdmin, public: { receiptKeys: publicRoutes.receiptKeys } },
    {
      payouts: asMe({ ...payoutRoutes, ...payoutStatementRoutes }),
      payoutsAdmin: asMe(payoutsAdminRoutes),
      public: { receiptKeys: () => publishedKeys(me) },
    },
  ),
);
const svc = (...argv: string[]) => tool.run(['payouts', ...argv], signedIn);

beforeAll(async () => {
  t = await testContext();
  t.ctx.drivers.payments = testProcessor().payments;
  const user = await t.user('creator');
  me = { ...user, actor: { ...user.actor, operator: true } };
  paid = await addPaidCreator(t.ctx, user.actor.user_id);
  folder = await mkdtemp(join(tmpdir(), 'svc-payouts-'));
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
  await t.close();
});

test('earnings, account and runs', async () => {
  const shown = await svc('earnings');
  expect([shown.code, shown.err]).toEqual([0, expect.stringContaining('Held is due 3 days')]);
  expect(shown.out).toMatch(/^Made +\$40\.00\nPaid +\$32\.00\nHeld +\$8\.00\nOwed +\$0\.00\n/);
  expect(shown.out).toContain(`${paid.agent.name}  5      $40.00`);
  expect((await svc('account')).out).toContain('ready');
  expect((await svc('account', '--open')).out).toMatch(/^https:\/\/processor\.example\//);
  expect((await svc('runs')).out).toContain(`${paid.run_id}  `);
  const owed = await tool.run(['payouts', 'owed', '--json'], { env: { SVC_TOKEN: 'operator' } });
  expect(JSON.parse(owed.out)).toMatchObject({ sent_micros: 32_000_000, held_micros: 8_000_000, ledger_payouts_micros: 32_000_000 });
});

test('a statement is saved with its receipts, and holds offline', async () => {
  expect((await svc('statement', paid.run_id, '--out', file('s.json'), '--receipts', file('r.json'))).code).toBe(0);
  await writeFile(file('keys.json'), JSON.stringify(await publishedKeys(me)));
  const offline = ['--receipts', file('r.json'), '--keys', file('keys.json'), '--api', 'http://127.0.0.1:1'];
  const verified = await svc('verify', file('s.json'), ...offline);
  expect(verified).toMatchObject({ code: 0, err: '' });
  expect(verified.out).toContain('$32.00');
  const [, first = ''] = (await readFile(file('s.json'), 'utf8')).split('\n');
  const { receipt_id } = JSON.parse(first) as { receipt_id: string };
  await writeFile(file('line.json'), (await svc('inclusion', file('s.json'), receipt_id)).out);
  expect((await svc('verify', file('line.json'), ...offline)).code).toBe(0);
});

test('what was forged is refused: a changed line, a dropped one, another key, a receipt of another call', async () => {
  const [head = '', ...lines] = (await readFile(file('s.json'), 'utf8')).trim().split('\n');
  const keys = ['--keys', file('keys.json')];
  const refused = async (texts: readonly string[], says: RegExp, ...more: string[]): Promise<void> => {
    await writeFile(file('forged.json'), texts.join('\n'));
    const ran = await svc('verify', file('forged.json'), ...keys, ...more);
    expect([ran.code, ran.out]).toEqual([1, expect.stringMatching(says)]);
  };
  await refused([head, ...lines.map((line) => line.replace('"skill":"slugify"', '"skill":"other"'))], /not those that were signed/);
  await refused([head, ...lines.slice(1)], /signed with 4 lines, and has 3/);
  await refused(['junk', ...lines], /does not begin with the summary/);
  const other = Buffer.from(await getPublicKeyAsync(new Uint8Array(32).fill(3))).toString('base64');
  const published = await publishedKeys(me);
  await writeFile(file('other.json'), JSON.stringify({ keys: published.keys.map((key) => ({ ...key, public_key: other })) }));
  const wrongKey = await svc('verify', file('s.json'), '--keys', file('other.json'));
  expect([wrongKey.code, wrongKey.out]).toEqual([1, expect.stringContaining('another key signed it')]);
  const receipts = (await readFile(file('r.json'), 'utf8')).trim().split('\n');
  await writeFile(file('fewer.json'), receipts.slice(1).join('\n'));
  await refused([head, ...lines], /its receipt is not among those/, '--receipts', file('fewer.json'));
});

test('a run that paid others does not exist', async () => {
  expect(await svc('statement', 'por_1', '--out', file('none.json'))).toMatchObject({ code: 1, err: expect.stringContaining('No run por_1 paid you') });
});
