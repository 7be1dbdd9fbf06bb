// The real provider for tests: on a port of its own, with keys and accounts of its own.
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Knex } from 'knex';
import { z } from 'zod';
import { CLI_CLIENT_ID, LOCAL_GRANT } from '#contract/identity/oauth.ts';
import { createVault } from '../../vault/key-file.ts';
import type { Vault } from '../../vault/port.ts';
import type { ClientDocumentOptions } from '../client-documents.ts';
import { createIdp, type Idp } from '../provider.ts';

export interface TestIdp {
  baseUrl: string;
  idp: Idp;
  vault: Vault;
  folder: string;
  keyFile: string;
  accountsFile: string;
  server: Server;
  /** Failures inside the provider, for a test that expects none. */
  errors: Error[];
  /** Answers what is not the provider's. */
  serve(listener: RequestListener): void;
  password(email: string): Promise<string>;
  /** Tokens of a local account. */
  tokens(email: string, scope?: string): Promise<{ access_token: string; refresh_token?: string | undefined }>;
  /** As a process that starts again: what it serves is read from the database anew. */
  restart(): Promise<void>;
  close(): Promise<void>;
}

const Tokens = z.object({ access_token: z.string(), refresh_token: z.string().optional() });

export async function startTestIdp(
  db: Knex,
  clients?: ClientDocumentOptions,
  signUp?: boolean,
  serves?: (email?: string) => Promise<boolean>,
  /** Speaks TLS with it. */
  certificate?: { key: string; cert: string },
): Promise<TestIdp> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-idp-'));
  const keyFile = join(folder, 'local-login.key');
  const accountsFile = join(folder, 'local-accounts.json');
  await writeFile(keyFile, randomBytes(32).toString('base64url'), { mode: 0o600 });
  const server = (certificate ? createTlsServer({ key: certificate.key, cert: certificate.cert }) : createServer()).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const baseUrl = `${certificate ? 'https' : 'http'}://localhost:${portOf(server)}`;
  const vault = createVault([new Uint8Array(randomBytes(32))]);
  const errors: Error[] = [];
  const options = { db, vault, baseUrl, agentsDomain: new URL(baseUrl).host, issuer: `${baseUrl}/idp`, accountsFile, localLoginKeyFile: keyFile };
  const start = () => createIdp({ ...options, clients, signUp, serves, onError: (error) => errors.push(error) });
  let idp = await start();
  let other: RequestListener = (_request, response) => void response.writeHead(404).end();
  server.on('request', (request, response) => {
    if (!idp.handle(request, response)) other(request, response);
  });
  return {
    baseUrl,
    get idp() {
      return idp;
    },
    restart: async () => void (idp = await start()),
    vault,
    folder,
    keyFile,
    accountsFile,
    server,
    errors,
    serve: (listener) => {
      other = listener;
    },
    async password(email) {
      const { accounts } = z
        .object({ accounts: z.array(z.object({ email: z.string(), password: z.string() })) })
        .parse(JSON.parse(await readFile(accountsFile, 'utf8')));
      return accounts.find((account) => account.email === email)?.password ?? '';
    },
    async tokens(email, scope) {
      const body = new URLSearchParams({
        grant_type: LOCAL_GRANT,
        client_id: CLI_CLIENT_ID,
        account: email,
        key: await readFile(keyFile, 'utf8'),
        ...(scope === undefined ? {} : { scope }),
      });
      const response = await fetch(`${idp.issuer}/token`, { method: 'POST', body });
      if (!response.ok) throw new Error(`no tokens for ${email}: ${await response.text()}`);
      return Tokens.parse(await response.json());
    },
    async close() {
      server.close();
      server.closeAllConnections();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function portOf(server: Server): number {
  // Safe: a TCP server that is listening has an address with a port.
  return (server.address() as AddressInfo).port;
}
