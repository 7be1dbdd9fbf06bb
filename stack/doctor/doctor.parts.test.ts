// Broken installations, one at a time: each is named, with what to do. PostgreSQL, Temporal, name server and
// certificates are real. That nothing is wrong with a healthy one: test/e2e/main-job.test.ts.
import { randomBytes } from 'node:crypto';
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { BACKUP_RESULT_FILE } from '#contract/platform/backup-result.ts';
import type { Finding } from '#contract/platform/doctor.ts';
import { requireOwnKey } from '#core/platform/installation/key.ts';
import { createPool } from '#db/pool.ts';
import { openKeyFile } from '#drivers/vault/key-file.ts';
import { testDns, type TestDns } from '#test/support/dns.ts';
import { testDatabase, testTemporal } from '#test/support/servers.ts';
import { certificateFor } from '#test/support/tls.ts';
import { freePort } from '../ports.ts';
import { ensureSecrets } from '../secrets.ts';
import { readSettings } from '../settings.ts';
import { findingsOf } from './doctor.ts';

let state: string;
let env: Record<string, string>;
let dns: TestDns;
const open: Server[] = [];

beforeAll(async () => {
  state = await mkdtemp(join(tmpdir(), 'svc-doctor-'));
  ensureSecrets(join(state, 'secrets'));
  dns = await testDns();
  const temporal = await testTemporal();
  env = {
    PATH: process.env['PATH'] ?? '',
    SVC_STATE_DIR: state,
    SVC_PORT: String(await freePort()),
    DATABASE_URL: (await testDatabase()).url,
    TEMPORAL_ADDRESS: temporal.address,
    TEMPORAL_NAMESPACE: temporal.namespace,
  };
  const db = createPool({ connectionString: env['DATABASE_URL'] ?? '' });
  await requireOwnKey(db, await openKeyFile(join(state, 'secrets/platform.key')));
  await db.destroy();
});
afterEach(() => {
  for (const server of open.splice(0)) server.close();
});
afterAll(async () => {
  await dns.close();
  await rm(state, { recursive: true, force: true });
});

const findings = (more: Record<string, string>): Promise<Finding[]> => findingsOf(readSettings({ ...env, ...more }));

/** What is said of one part, apart from what is well. */
async function saysOf(part: Finding['part'], more: Record<string, string> = {}): Promise<string> {
  const said = (await findings(more)).filter((one) => one.part === part && one.state !== 'ok');
  for (const { text, remedy } of said) expect(`${text} ${remedy ?? ''}`).toMatch(/^\S.*[.\w)}-]$/s);
  return said.map(({ text, remedy }) => `${text} → ${remedy ?? ''}`).join('\n');
}

async function serve(server: Server): Promise<number> {
  open.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

const inState = (name: string): string => join(state, name);

test('nothing is up, and another program has the port', async () => {
  expect(await saysOf('parts')).toMatch(/^Nothing is up with the state folder .* → Run: npm run up$/);
  const port = await serve(createServer());
  expect(await saysOf('parts', { SVC_PORT: String(port) })).toContain(`Port ${port} is taken by process ${process.pid}`);
});

test('the key file: gone, damaged, open to others, of another installation', async () => {
  const path = inState('secrets/platform.key');
  const other = await mkdtemp(join(tmpdir(), 'svc-doctor-'));
  ensureSecrets(join(other, 'secrets'));
  expect(await saysOf('key', { SVC_STATE_DIR: other })).toMatch(/is another one \([0-9a-f]{16}\) than this database was made with/);
  await writeFile(join(other, 'secrets/platform.key'), 'not a key\n');
  expect(await saysOf('key', { SVC_STATE_DIR: other })).toMatch(/is damaged: every line is one key/);
  await rm(join(other, 'secrets/platform.key'));
  await mkdir(join(other, 'postgres/data'), { recursive: true });
  expect(await saysOf('key', { SVC_STATE_DIR: other })).toMatch(/is missing: nothing that is stored encrypted can be read/);
  await rm(other, { recursive: true });
  await chmod(path, 0o644);
  expect(await saysOf('key')).toMatch(/Others on this machine may read .* → Run: chmod 600/);
  await chmod(path, 0o600);
  expect(await saysOf('key')).toBe('');
});

test('data of a PostgreSQL that is not here', async () => {
  const other = await mkdtemp(join(tmpdir(), 'svc-doctor-'));
  await mkdir(join(other, 'postgres/data'), { recursive: true });
  await writeFile(join(other, 'postgres/data/PG_VERSION'), '13\n');
  const { DATABASE_URL: _, ...own } = env;
  const said = (await findingsOf(readSettings({ ...own, SVC_STATE_DIR: other }))).filter(({ part }) => part === 'database');
  expect(said.map(({ text }) => text).join()).toMatch(/are of PostgreSQL 13, and nothing was changed. Install that server/);
  await rm(other, { recursive: true });
});

test('a database that cannot be reached: server, name, database', async () => {
  const { url } = await testDatabase();
  const at = (change: (url: URL) => void): string => {
    const changed = new URL(url);
    change(changed);
    return changed.href;
  };
  const closed = await freePort();
  expect(await saysOf('database', { DATABASE_URL: at((one) => (one.port = String(closed))) })).toMatch(/cannot be used: .*ECONNREFUSED.* → Start that server/);
  expect(await saysOf('database', { DATABASE_URL: at((one) => (one.hostname = 'db.invalid')) })).toMatch(/ → Correct the host name in DATABASE_URL/);
  expect(await saysOf('database', { DATABASE_URL: at((one) => (one.pathname = '/absent')) })).toMatch(/ → Make the database \(createdb\)/);
});

test('a database that this program must not use: migrated by a newer one, lagging, read-only, with a transaction left open', async () => {
  const { url, name } = await testDatabase();
  const db = createPool({ connectionString: url });
  await db('knex_migrations' as 'users').insert({ name: '9999_later.ts', batch: 9, migration_time: new Date() } as never);
  expect(await saysOf('database', { DATABASE_URL: url })).toMatch(/migrated by a newer version: this one does not know 9999_later.ts/);
  await db('knex_migrations' as 'users')
    .where('name' as never, '9999_later.ts')
    .delete();
  await db('knex_migrations' as 'users')
    .where('name' as never, '0036_authors_order.ts')
    .delete();
  expect(await saysOf('database', { DATABASE_URL: url })).toMatch(/1 migrations have not run. → Run: npm run up/);
  await db.raw('alter database ?? set default_transaction_read_only = on', [name]);
  expect(await saysOf('database', { DATABASE_URL: url })).toMatch(/PostgreSQL is read-only/);
  await db.destroy();
});

test('Temporal does not answer, or no worker takes its tasks; messages stay unsent', async () => {
  const closed = await freePort();
  expect(await saysOf('engine', { TEMPORAL_ADDRESS: `127.0.0.1:${closed}` })).toMatch(/^Temporal does not answer: .* → Start it/);
  const db = createPool({ connectionString: env['DATABASE_URL'] ?? '' });
  await db('outbox').insert({
    outbox_id: 'msg_1',
    kind: 'signal',
    workflow_id: 'w',
    name: 'n',
    message: '{}',
    request_id: 'req_1',
    created_at: new Date(Date.now() - 600_000),
  });
  expect(await saysOf('engine')).toMatch(/no worker takes tasks of control, long-work, .*\n.*1 messages to workflows are unsent, the oldest for 60\d s/s);
  await db('outbox').delete();
  await db.destroy();
});

test('the host is gone, and the store of files', async () => {
  expect(await saysOf('host')).toMatch(/^The host of agents’ machines does not answer: .* → Start it/);
  const s3 = {
    STORAGE_URL: 's3://absent-bucket',
    S3_ENDPOINT: `http://127.0.0.1:${await freePort()}`,
    S3_REGION: 'x',
    S3_ACCESS_KEY_ID: 'a',
    S3_SECRET_ACCESS_KEY: 'b',
  };
  expect(await saysOf('storage', s3)).toMatch(/^The storage of files does not work: .* → Check STORAGE_URL/);
});

test('the public address: no name, plain http, somebody else, a certificate that nobody trusts, an expired one', async () => {
  const at = (url: string): Promise<string> => saysOf('address', { SVC_BASE_URL: url, SVC_AGENTS_DOMAIN: 'agents.invalid' });
  expect(await at('https://svc.invalid')).toMatch(/its name has no address in the DNS. → Add a DNS record for svc.invalid/);
  expect(await at('http://svc.invalid')).toMatch(/^http:\/\/svc.invalid is plain http/);
  const stranger = await serve(createServer((_, response) => response.end('{}')));
  expect(await at(`http://localhost:${stranger}`)).toMatch(/answers \(status 200\), but it is not this installation/);
  const { key, cert, remove } = await certificateFor('elsewhere.example');
  const tls = await serve(createTlsServer({ key, cert }, (_, response) => response.end('{}')));
  expect(await at(`https://localhost:${tls}`)).toMatch(/its certificate is not by an authority that this machine trusts. → Serve the whole chain/);
  await remove();
});

test('settings: a certificate that is gone, one that is none, a key that cannot be read, a dead proxy', async () => {
  await writeFile(inState('no.pem'), 'hello');
  const more = { NODE_EXTRA_CA_CERTS: inState('gone.pem'), SVC_MAIL_TLS_CERT: inState('no.pem'), HTTPS_PROXY: `http://127.0.0.1:${await freePort()}` };
  const said = await saysOf('settings', more);
  expect(said).toMatch(/NODE_EXTRA_CA_CERTS names .*gone.pem, which cannot be read/);
  expect(said).toMatch(/SVC_MAIL_TLS_CERT names .*no.pem, which holds no certificate in PEM/);
  expect(said).toMatch(/The proxy of HTTPS_PROXY \(127.0.0.1:\d+\) does not answer/);
});

test('mail and custom domains without their records, and records that are there', async () => {
  const more = { SVC_MAIL_DOMAIN: 'mail.test', SVC_MAIL_DNS: dns.address, SVC_DOMAINS_TARGETS: 'entry.test', SVC_DOMAINS_DNS: dns.address };
  const said = await findings(more);
  const text = said.map((one) => `${one.text} ${one.remedy ?? ''}`).join('\n');
  expect(text).toMatch(/The TXT record of mail.test is missing, or says something else. Publish it: v=spf1 mx -all/);
  expect(text).toMatch(/entry.test, to which custom domains point, has no address/);
  dns.set('A', 'entry.test', '192.0.2.7');
  expect(await saysOf('domains', more)).toBe('');
});

test('an identity provider that is not there', async () => {
  expect(await saysOf('sign-in', { OIDC_ISSUER: `http://127.0.0.1:${await freePort()}` })).toMatch(/→ See docs\/identity-providers.md/);
});

test('a backup that failed', async () => {
  const result = { at: '2026-12-01T03:00:00.000Z', to: '/mnt/backups', error: 'The disk of the backups is full.', last: null };
  await writeFile(inState(BACKUP_RESULT_FILE), JSON.stringify(result));
  expect(await saysOf('backup')).toMatch(/^The backup of .* to \/mnt\/backups failed: The disk of the backups is full. .* → Remove its cause/);
  await rm(inState(BACKUP_RESULT_FILE));
  expect(await saysOf('backup')).toBe('');
});

test('nothing of what is said holds a secret', async () => {
  const secret = randomBytes(12).toString('hex');
  const url = new URL(env['DATABASE_URL'] ?? '');
  url.password = secret;
  url.port = String(await freePort());
  const said = await findings({ DATABASE_URL: url.href, S3_SECRET_ACCESS_KEY: secret, HTTPS_PROXY: `http://me:${secret}@127.0.0.1:1` });
  expect(JSON.stringify(said)).not.toContain(secret);
});
