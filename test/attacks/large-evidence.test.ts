// Runs that read and changed thousands of files leave receipts of half a megabyte, and cards may be as large.
// An organization's export, its page of compliance and an agent's dossier read them in threads, and the event
// loop goes on meanwhile. Measured is the loop's own processor time from turn to turn.
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { canonicalSha256 } from '#contract/crypto/sha256.ts';
import { cardFacts, cardFactsHere, cardReadCounts } from '#core/evidence/dossier/card-facts.ts';
import { readDossier } from '#core/evidence/dossier/read.ts';
import { checkHere, receiptThreadCounts } from '#core/evidence/receipt/check.ts';
import { composeExport } from '#core/orgs/compliance/export/lines.ts';
import { complianceStatus } from '#core/orgs/compliance/status/status.ts';
import { organizationOf, receiptOf, type TestOrganization } from '#core/orgs/compliance/test/world.ts';
import { testContext, type TestContext } from '../support/context.ts';
import { liveAgent } from '../support/runs.ts';
import { addAgent } from '../support/verbs.ts';

let t: TestContext;
let acme: TestOrganization;
const RECEIPTS = 12;
/** All of them at once would take three times as long. */
const FEW = 4;
beforeAll(async () => {
  t = await testContext();
  acme = await organizationOf(t);
  const agent = await addAgent(t.ctx.db, acme.id);
  const longest = (n: number): string => `${Array.from({ length: 4 }, () => 'a'.repeat(59)).join('/')}${n}`;
  const file = (operation: 'read' | 'write') => (_: unknown, n: number) => ({ path: longest(1_000 + n), operation, sha256: 'a'.repeat(64), size_bytes: 1 });
  const files = [...Array.from({ length: 1_000 }, file('read')), ...Array.from({ length: 1_000 }, file('write'))];
  for (let n = 0; n < RECEIPTS; n += 1) await receiptOf(t.ctx, agent, { files });
});
afterAll(() => t.close());

/**
 * Processor milliseconds of this thread: the longest turn of the loop while this is done, and all of them.
 */
async function turns(work: () => Promise<unknown>): Promise<{ longest: number; all: number }> {
  const ms = ({ user, system }: NodeJS.CpuUsage): number => (user + system) / 1_000;
  const begun = process.threadCpuUsage();
  let last = begun;
  let longest = 0;
  let over = false;
  const look = (): void => {
    longest = Math.max(longest, ms(process.threadCpuUsage(last)));
    last = process.threadCpuUsage();
    if (!over) setImmediate(look);
  };
  setImmediate(look);
  await work().finally(() => void (over = true));
  longest = Math.max(longest, ms(process.threadCpuUsage(last)));
  return { longest, all: ms(process.threadCpuUsage(begun)) };
}

async function oneReceipt(): Promise<number> {
  const row = await t.ctx.db('receipts').first('token');
  const keys = await t.ctx.db('receipt_keys').select('kid', 'public_key', 'not_before', 'not_after');
  const once = () => turns(async () => expect(await checkHere({ token: row?.token ?? '', keys })).toMatchObject({ signed: { skill: 'slugify' } }));
  await once();
  return (await once()).all;
}

async function exported(): Promise<string[]> {
  const at = new Date();
  const row = {
    export_id: 'cex_1',
    organization_id: acme.id,
    from_at: new Date(0),
    to_at: new Date(at.getTime() + 60_000),
    kinds: ['skill_execution'],
    max_records: 1_000,
  };
  // Safe: what the file's lines are made of is there.
  const composed = composeExport(t.ctx, row as Parameters<typeof composeExport>[1], acme.slug);
  const lines: string[] = [];
  await pipeline(Readable.from(composed.lines), async (all: AsyncIterable<string>) => {
    for await (const line of all) lines.push(line);
  });
  expect(composed.manifest()).toMatchObject({ complete: true, counts: { records: RECEIPTS, valid: RECEIPTS, invalid: 0 } });
  return lines;
}

test('an export of large receipts reads none of them on the event loop, and takes no step as long as a few of them', async () => {
  await exported();
  const { begun } = receiptThreadCounts;
  const { longest } = await turns(exported);
  const one = await oneReceipt();
  expect(receiptThreadCounts.begun).toBeGreaterThanOrEqual(begun + RECEIPTS);
  expect(longest).toBeLessThan(FEW * one);
});

test('nor does the page that says whether the last ones hold', async () => {
  const auditor = acme.as.auditor;
  await complianceStatus(auditor, { slug: acme.slug });
  const { begun } = receiptThreadCounts;
  const { longest } = await turns(() => complianceStatus(auditor, { slug: acme.slug }));
  const one = await oneReceipt();
  expect(receiptThreadCounts.begun).toBe(begun + RECEIPTS);
  expect(longest).toBeLessThan(FEW * one);
});

test('a large receipt that was changed is said to be, and says why', async () => {
  const { receipt_id = '', token = '' } = (await t.ctx.db('receipts').first('receipt_id', 'token')) ?? {};
  await t.ctx
    .db('receipts')
    .where({ receipt_id })
    .update({ token: `${token.slice(0, -4)}AAAA` });
  const lines = (await exportedOf(receipt_id)).map((line) => JSON.parse(line));
  expect(lines).toMatchObject([{ signature_status: 'invalid', signature_problem: expect.stringContaining('signature') }]);
});

test('a dossier of a large card says what that of a small one says, and does not read the card on the event loop', async () => {
  const skill = (n: number) => ({
    id: `skill-${n}`,
    name: `skill ${n}`,
    description: 'It does something. '.repeat(20),
    input_schema: { type: 'object' },
    output_schema: {},
  });
  const card = { skills: Array.from({ length: 900 }, (_, n) => skill(n)) };
  const { name, deployId, ownerId } = await liveAgent(t.ctx, acme.as.owner.actor.user_id, { card });
  const row = await t.ctx.db('deployments').where({ deploy_id: deployId }).first('card');
  const text = JSON.stringify(row?.card);
  expect(text.length).toBeGreaterThan(400_000);
  const { begun } = cardReadCounts;
  expect(await cardFacts(ownerId, text)).toEqual(cardFactsHere({ card: text }));
  const read = () => readDossier(acme.as.owner, { name });
  expect((await read()).live?.card_sha256).toBe(canonicalSha256(row?.card));
  await read();
  expect(cardReadCounts.begun).toBe(begun + 3);
});

async function exportedOf(id: string): Promise<string[]> {
  const row = {
    export_id: 'cex_2',
    organization_id: acme.id,
    from_at: new Date(0),
    to_at: new Date(Date.now() + 60_000),
    kinds: ['skill_execution'],
    max_records: 1_000,
  };
  // Safe: as above.
  const composed = composeExport(t.ctx, row as Parameters<typeof composeExport>[1], acme.slug);
  return (await Array.fromAsync(composed.lines)).filter((line) => line.includes(`"record_id":"${id}"`));
}
