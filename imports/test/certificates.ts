// An authority, a server and a client it signed, made with OpenSSL for one test.
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

export interface Pair {
  cert: string;
  key: string;
}

export async function certificates(): Promise<{ ca: string; server: Pair; client: Pair; stranger: Pair }> {
  const dir = await mkdtemp(join(tmpdir(), 'svc-pki-'));
  const at = (name: string): string => join(dir, name);
  const openssl = (...args: string[]): Promise<unknown> => run('openssl', args);
  const key = (name: string): Promise<unknown> => openssl('ecparam', '-name', 'prime256v1', '-genkey', '-noout', '-out', at(`${name}.key`));
  const authority = async (name: string): Promise<void> => {
    await key(name);
    await openssl('req', '-x509', '-new', '-key', at(`${name}.key`), '-days', '2', '-subj', `/CN=${name}`, '-out', at(`${name}.pem`));
  };
  const signed = async (name: string, by: string): Promise<Pair> => {
    await key(name);
    await openssl('req', '-new', '-key', at(`${name}.key`), '-subj', `/CN=${name}`, '-out', at(`${name}.csr`));
    await writeFile(at('san'), 'subjectAltName=IP:127.0.0.1,DNS:localhost,DNS:api.test');
    const signer = ['-CA', at(`${by}.pem`), '-CAkey', at(`${by}.key`), '-CAcreateserial', '-days', '2', '-extfile', at('san')];
    await openssl('x509', '-req', '-in', at(`${name}.csr`), ...signer, '-out', at(`${name}.pem`));
    return { cert: await readFile(at(`${name}.pem`), 'utf8'), key: await readFile(at(`${name}.key`), 'utf8') };
  };
  try {
    await authority('ca');
    await authority('other');
    const [server, client, stranger] = [await signed('server', 'ca'), await signed('client', 'ca'), await signed('stranger', 'other')];
    return { ca: await readFile(at('ca.pem'), 'utf8'), server, client, stranger };
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}
