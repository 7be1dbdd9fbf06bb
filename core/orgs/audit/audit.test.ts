// The log of an organization: what is in it, and that a row that is missing, changed or put in shows.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { checkAuditLog } from '#contract/crypto/audit-chain.ts';
import { cites } from '#test/spec/verifies.ts';
import { createThread } from '../../threads/create.ts';
import { testContext, type TestContext } from '#test/support/context.ts';
import { updateOrganization } from '../organization/update.ts';
import { actingAs, joined, testOrganization, type TestOrganization } from '../test/organization.ts';
import { exportAuditLog } from './export.ts';
import { readAuditLog } from './read.ts';
import { auditHead, chainAuditLog, chainAuditLogs } from './chain-log.ts';

let t: TestContext;
let acme: TestOrganization;
beforeAll(async () => {
  t = await testContext();
  acme = await testOrganization(t);
});
afterAll(() => t.close());

async function lines(of: TestOrganization): Promise<string[]> {
  const found: string[] = [];
  for await (const line of await exportAuditLog(of.owner, { slug: of.slug })) found.push(JSON.stringify(line));
  return found;
}

test('it has what members do for the organization, by person, and what is done in the organization itself', cites('organizations.auditLog'), async () => {
  const admin = await joined(t, acme, 'admin');
  const { thread_id } = await createThread(await actingAs(admin, acme.slug), { title: 'Ours', handoffs: 'ask_foreign' });
  await updateOrganization(admin, { slug: acme.slug, name: 'Acme Ltd.' });
  const { items, head } = await readAuditLog(acme.owner, { slug: acme.slug, limit: 50 });
  expect(items.map(({ action }) => action)).toEqual(
    expect.arrayContaining(['organization.create', 'organization.invite', 'organization.join', 'organization.update']),
  );
  expect(items.find(({ action }) => action === 'organization.update')).toMatchObject({
    actor: { kind: 'user', id: admin.actor.user_id, email: admin.actor.email },
    target_id: acme.id,
    details: { name: 'Acme Ltd.' },
  });
  expect(items.find(({ action }) => action === 'thread.create')).toMatchObject({ actor: { id: admin.actor.user_id }, target_id: thread_id });
  expect(items[0]).toMatchObject({ sequence: head.sequence, sha256: head.sha256 });
  expect((await readAuditLog(acme.owner, { slug: acme.slug, limit: 50, action: 'organization.join' })).items.map(({ action }) => action)).toEqual([
    'organization.join',
  ]);
});

test('developers, operators and those who pay do not read it', async () => {
  for (const role of ['developer', 'operator', 'billing'] as const)
    await expect(readAuditLog(await joined(t, acme, role), { slug: acme.slug, limit: 1 })).rejects.toMatchObject({ code: 'role_not_allowed' });
  expect((await readAuditLog(await joined(t, acme, 'auditor'), { slug: acme.slug, limit: 1 })).items).toHaveLength(1);
  await expect(readAuditLog(await t.user('ben'), { slug: acme.slug, limit: 1 })).rejects.toMatchObject({ code: 'organization_not_found' });
});

test('the file checks without the platform, and every change of it shows', async () => {
  const of = await testOrganization(t);
  for (const name of ['One', 'Two', 'Three', 'Four']) await updateOrganization(of.owner, { slug: of.slug, name });
  const file = await lines(of);
  expect(checkAuditLog(file)).toMatchObject({ organization: of.slug, rows: 5, head: { sequence: 5 }, problems: [] });
  const { sha256 } = await auditHead(t.ctx.db, of.id);
  expect(checkAuditLog(file, sha256).problems).toEqual([]);
  const broken: Record<string, string[]> = {
    'a row removed': file.toSpliced(2, 1),
    'the newest rows removed': [...file.slice(0, 3), file.at(-1) ?? ''],
    'cut off': file.slice(0, 3),
    'a row changed': file.map((line) => line.replace('"Two"', '"Too"')),
    'a row put in': file.toSpliced(2, 0, file[1] ?? ''),
    'two rows exchanged': [file[0], file[2], file[1], ...file.slice(3)].map((line) => line ?? ''),
    'the first row removed': file.slice(1),
    nonsense: [...file.slice(0, 2), '{"a":', ...file.slice(2)],
  };
  for (const [what, changed] of Object.entries(broken)) expect(checkAuditLog(changed).problems, what).not.toEqual([]);
  // A whole chain made anew holds together, but its head is another.
  expect(checkAuditLog(file, 'f'.repeat(64)).problems).toEqual(['the head is not the one that was noted']);
});

test('sealed at the same time by many, the rows have one order, and none twice', async () => {
  const of = await testOrganization(t);
  for (const n of [1, 2, 3]) {
    await Promise.all([0, 1, 2, 3].map((m) => updateOrganization(of.owner, { slug: of.slug, name: `Name ${n}${m}` })));
    await Promise.all([...[0, 1, 2].map(() => chainAuditLog(t.ctx.db, of.id, Date.now())), chainAuditLogs(t.ctx)]);
  }
  expect(checkAuditLog(await lines(of))).toMatchObject({ rows: 13, problems: [] });
});

test('another organization has nothing of it, nor has the account of the person', async () => {
  const other = await testOrganization(t);
  expect(checkAuditLog(await lines(other))).toMatchObject({ rows: 1, problems: [] });
});
