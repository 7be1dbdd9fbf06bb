// A rotation on a real database with a value in every place, beside a process that goes on sealing.
import { randomBytes } from 'node:crypto';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ENCRYPTED_COLUMNS } from '#core/platform/vault/encrypted-columns.ts';
import { reencryptAll } from '#core/platform/vault/reencrypt.ts';
import { createVault, openKeyFile } from '#drivers/vault/key-file.ts';
import { signingKeys } from '#drivers/idp/keys.ts';
import { knexAdapter } from '#drivers/idp/adapter.ts';
import { appendReceipt } from '#core/evidence/receipt/sign.ts';
import { openSecrets } from '#core/agents/secret/open.ts';
import { passwordContext } from '#core/agents/database/password.ts';
import { connectionContext } from '#core/imports/connection/context.ts';
import { acmeKeyContext } from '#core/agents/domain/account.ts';
import { certificateKeyContext } from '#core/agents/domain/resolve-host.ts';
import { mailKeyContext } from '#core/agents/mailbox/keys.ts';
import { secretContext } from '#core/agents/secret/context.ts';
import { setupContext } from '#core/agents/setup/fields.ts';
import { resolveRoute } from '#core/agents/route/resolve.ts';
import { hostKeyContext } from '#core/identity/dev-box/machine.ts';
import { keyContext } from '#core/money/llm/credential.ts';
import { pushContext } from '#core/runs/task/push.ts';
import { createOrganization } from '#core/orgs/organization/create.ts';
import { ssoSecretContext } from '#core/orgs/sso/connection.ts';
import { inTx } from '#core/kernel/tx.ts';
import { testContext, type TestContext, type TestUser } from '#test/support/context.ts';
import { liveAgent, type LiveAgent } from '#test/support/runs.ts';
import { facts } from '#test/support/verbs.ts';
import { rotateKeys } from './tasks/rotate-keys.ts';

let t: TestContext;
let ada: TestUser;
let agent: LiveAgent;
const lines: string[] = [];

beforeAll(async () => {
  t = await testContext();
  ada = await t.user();
  agent = await liveAgent(t.ctx, ada.actor.user_id);
  const { db, drivers } = t.ctx;
  const seal = (context: string) => drivers.vault.seal(Buffer.from('"inside"'), context);
  const own = { agent_id: agent.id, user_id: ada.actor.user_id };
  for (let n = 0; n < 250; n++) {
    const secret = { agent_id: agent.id, name: `N${n}`, version: 3 };
    await db('agent_secrets').insert({ ...secret, value_sealed: await seal(secretContext(secret)) });
  }
  const value = { ...own, field_name: 'f' };
  await db('consumer_setup_values').insert([
    { ...value, value_sealed: await seal(setupContext(value)), size_bytes: 8 },
    { ...own, field_name: 'plain', value: '"v1.plain"', size_bytes: 8 },
  ]);
  const credential = {
    credential_id: 'cred_1',
    user_id: ada.actor.user_id,
    name: 'c',
    provider: 'p',
    protocol: 'openai' as const,
    base_url: 'https://x.test',
    model: 'm',
  };
  await db('llm_credentials').insert({ ...credential, key_sealed: await seal(keyContext('cred_1')) });
  const box = { box_id: 'box_1', owner_id: ada.actor.user_id, agent_id: agent.id, host_key: 'ssh-ed25519 AAAA' };
  await db('dev_boxes').insert({ ...box, host_key_sealed: await seal(hostKeyContext('box_1')) });
  const connection = { agent_id: agent.id, scheme_name: 's', version: 1 };
  await db('agent_connections').insert({ ...connection, kind: 'bearer', sealed: await seal(connectionContext(connection)) });
  const directory_url = 'https://ca.example.test/directory';
  await db('acme_accounts').insert({ directory_url, key_sealed: await seal(acmeKeyContext(directory_url)) });
  await db('agent_domains').insert({ domain_id: 'dom_1', agent_id: agent.id, hostname: 'a.example.test', nonce: 'n', prove_until: new Date() });
  const certificate = { domain_id: 'dom_1', certificate_id: 'crt_1' };
  await db('domain_certificates').insert({ ...certificate, key_sealed: await seal(certificateKeyContext('crt_1')) });
  const mailKey = { domain: 'agents.example.test', selector: 'svc' };
  await db('mail_keys').insert({ ...mailKey, public_key: 'p', private_sealed: await seal(mailKeyContext(mailKey)) });
  const at = new Date();
  const ready = { state: 'ready' as const, created_at: at, updated_at: at };
  await db('database_projects').insert({ project_id: 'dbp_1', owner_id: ada.actor.user_id, name: 'orders', server_name: 'svcdb_0', ...ready });
  await db('database_branches').insert({ branch_id: 'dbb_1', project_id: 'dbp_1', name: 'main', database_name: 'svcdb_0_d', ...ready });
  await db('database_roles').insert({ role_id: 'dbr_1', branch_id: 'dbb_1', access: 'owner', rotated_at: at });
  const login = { login_id: 'dbl_1', role_id: 'dbr_1', login: 'svcdb_0_l', state: 'current' as const, created_at: at };
  await db('database_logins').insert({ ...login, password_sealed: await seal(passwordContext('dbl_1')) });
  const { organization_id } = await createOrganization(ada, { slug: 'acme', name: 'Acme' });
  const sso = { connection_id: 'sso_1', organization_id, issuer: 'https://login.example.test', client_id: 'c', domains: [], session_hours: 8 };
  const members = { default_role: 'developer' as const, makes_members: false };
  await db('sso_connections').insert({ ...sso, ...members, secret_sealed: await seal(ssoSecretContext('sso_1')), created_at: at, updated_at: at });
  const task = { agent_id: agent.id, task_id: 'task-1', protocol: 'a2a' as const, run_id: 'run_1', deploy_id: agent.deployId, user_id: ada.actor.user_id };
  const caller = { caller_kind: 'user', caller_id: ada.actor.user_id, owner_key: 'ada' };
  const open = { state: 'open' as const, status: 'TASK_STATE_WORKING', snapshot: '{}', bytes: 2, created_at: at, changed_at: at, expires_at: at };
  await db('protocol_tasks').insert({ ...task, ...caller, ...open });
  const push = { agent_id: agent.id, task_id: 'task-1', config_id: 'one' };
  await db('task_pushes').insert({ ...push, url: 'https://push.test', version: '1.0', sealed: await seal(pushContext(push)), created_at: at });
  await inTx(t.ctx, (ctx) => appendReceipt(ctx, facts(agent)));
  await signingKeys(db, drivers.vault);
  await knexAdapter(db, drivers.vault)('Session').upsert('the-session', { uid: 'the-uid' }, 600);
});
afterAll(() => t.close());

const keyFile = () => join(t.stateDir, 'secrets', 'platform.key');
const rotate = () => rotateKeys({ databaseUrl: t.databaseUrl, secretsDir: join(t.stateDir, 'secrets') }, (line) => lines.push(line));
const sealedValues = async (): Promise<string[]> => {
  const found: string[] = [];
  for (const { table, column, member } of ENCRYPTED_COLUMNS) {
    const value = member === undefined ? t.ctx.db.raw('?? as sealed', [column]) : t.ctx.db.raw('??->>? as sealed', [column, member]);
    const rows = await t.ctx.db(table).select<{ sealed: string | null }[]>(value);
    found.push(...rows.flatMap(({ sealed }) => (sealed === null ? [] : [sealed])));
  }
  return found;
};

test('every sealed column of the schema is on the list, and every place on the list has a value here', async () => {
  const { rows } = await t.ctx.db.raw<{ rows: { name: string }[] }>(
    // Not the times at which something was sealed.
    `select table_name || '.' || column_name as name from information_schema.columns
     where table_schema = 'public' and column_name like '%sealed%' and data_type not like 'timestamp%'`,
  );
  const listed = ENCRYPTED_COLUMNS.filter(({ member }) => member === undefined).map(({ table, column }) => `${table}.${column}`);
  expect(listed.toSorted()).toEqual(rows.map(({ name }) => name).toSorted());
  for (const { table, column, member } of ENCRYPTED_COLUMNS) {
    const value = member === undefined ? t.ctx.db.raw('?? is not null', [column]) : t.ctx.db.raw('??->>? is not null', [column, member]);
    expect(await t.ctx.db(table).where(value).first(t.ctx.db.raw('1 as one')), `${table}.${column}`).toEqual({ one: 1 });
  }
});

test('after a rotation the new key holds everything, derived keys are the same, and who runs goes on', async () => {
  const running = t.ctx.drivers.vault;
  const [derived, old] = [await running.derive('x'), running.currentPrefix()];
  const signing = await signingKeys(t.ctx.db, running);
  expect(signing.public.keys.map(({ alg }) => alg)).toEqual(['EdDSA', 'RS256']);
  expect((await sealedValues()).every((sealed) => sealed.startsWith(old))).toBe(true);
  const done = await rotate();
  const count = (await sealedValues()).length;
  expect(done).toEqual({ newKey: true, sealed: count, unreadable: 0 });
  expect(count).toBeGreaterThan(255);
  expect((await readFile(keyFile(), 'utf8')).trimEnd().split('\n')).toHaveLength(2);
  expect((await stat(keyFile())).mode & 0o777).toBe(0o600);
  const fresh = await openKeyFile(keyFile());
  expect((await sealedValues()).every((sealed) => sealed.startsWith(fresh.currentPrefix()))).toBe(true);
  expect(await fresh.derive('x')).toEqual(derived);
  // A process that began before: it reads what is new, and seals under the new key from now on.
  expect(await openSecrets(t.ctx, agent.id)).toMatchObject({ secrets: { N0: '"inside"', N249: '"inside"' } });
  expect(await resolveRoute(t.ctx, agent.name)).toMatchObject({ apiKey: 'the-key' });
  expect(await running.seal(Buffer.from('x'), 'y')).toMatch(new RegExp(`^${fresh.currentPrefix().replaceAll('.', '\\.')}`));
  expect(await running.derive('x')).toEqual(derived);
  expect(await signingKeys(t.ctx.db, running)).toEqual(signing);
  expect(await knexAdapter(t.ctx.db, running)('Session').findByUid('the-uid')).toMatchObject({ jti: 'the-session' });
  await inTx(t.ctx, (ctx) => appendReceipt(ctx, facts(agent)));
  expect(lines.join('\n')).not.toContain('inside');
});

test('one that was interrupted is finished by the next, without another key; two at once are one', async () => {
  const [first = ''] = (await readFile(keyFile(), 'utf8')).split('\n');
  await writeFile(keyFile(), `${randomBytes(32).toString('base64url')}\n${await readFile(keyFile(), 'utf8')}`);
  const half = await openKeyFile(keyFile());
  await t.ctx
    .db('agent_secrets')
    .where({ name: 'N0' })
    .update({ value_sealed: await half.seal(Buffer.from('x'), secretContext({ agent_id: agent.id, name: 'N0', version: 3 })) });
  expect(await rotate()).toMatchObject({ newKey: false, unreadable: 0 });
  const kept = (await readFile(keyFile(), 'utf8')).trimEnd().split('\n');
  expect([kept.length, kept[1]]).toEqual([3, first]);
  const both = await Promise.allSettled([rotate(), rotate()]);
  expect(both.filter(({ status }) => status === 'fulfilled').length).toBeGreaterThan(0);
  for (const one of both) if (one.status === 'rejected') expect(String(one.reason)).toContain('Another rotation');
});

test('what cannot be opened is counted and left alone, and does not stop the rest', async () => {
  const foreign = await createVault([randomBytes(32)]).seal(Buffer.from('x'), 'y');
  await t.ctx.db('agent_secrets').where({ name: 'N1' }).update({ value_sealed: foreign });
  const fresh = createVault([
    randomBytes(32),
    ...(await readFile(keyFile(), 'utf8'))
      .trimEnd()
      .split('\n')
      .map((line) => Buffer.from(line, 'base64url')),
  ]);
  const done = await reencryptAll(t.ctx.db, fresh);
  expect(done.find(({ place }) => place === 'agent_secrets.value_sealed')).toEqual({ place: 'agent_secrets.value_sealed', sealed: 249, unreadable: 1 });
  expect(await t.ctx.db('agent_secrets').where({ name: 'N1' }).first('value_sealed')).toEqual({ value_sealed: foreign });
});

test('a key file whose root was changed is refused, and the old keys go on', async () => {
  const before = await readFile(keyFile(), 'utf8');
  const vault = await openKeyFile(keyFile());
  const sealed = await vault.seal(Buffer.from('x'), 'y');
  await writeFile(keyFile(), `${before}${randomBytes(32).toString('base64url')}\n`);
  await expect(vault.seal(Buffer.from('x'), 'y')).rejects.toMatchObject({ code: 'key_file_invalid' });
  expect(Buffer.from(await vault.open(sealed, 'y')).toString()).toBe('x');
});
