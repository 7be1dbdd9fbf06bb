// An HTTPS service under an authority of its own, which only who is told trusts.
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import type { RequestListener } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

interface Certificate {
  key: string;
  cert: string;
  /** Of the authority that made it. */
  caFile: string;
  remove(): Promise<void>;
}

/** For a server of this name, by an authority that others are told to trust. */
export async function certificateFor(name: string): Promise<Certificate> {
  const dir = await mkdtemp(join(tmpdir(), 'svc-ca-'));
  const at = (file: string): string => join(dir, file);
  const make = (...options: string[]) =>
    promisify(execFile)('openssl', ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2', ...options]);
  await make('-keyout', at('ca.key'), '-out', at('ca.pem'), '-subj', '/CN=Authority of the tests', '-addext', 'keyUsage=critical,keyCertSign,cRLSign');
  const names = ['-subj', `/CN=${name}`, '-addext', `subjectAltName=DNS:${name}`, '-addext', 'basicConstraints=critical,CA:FALSE'];
  await make('-CA', at('ca.pem'), '-CAkey', at('ca.key'), '-keyout', at('key.pem'), '-out', at('cert.pem'), ...names);
  const [key, cert] = await Promise.all([readFile(at('key.pem'), 'utf8'), readFile(at('cert.pem'), 'utf8')]);
  return { key, cert, caFile: at('ca.pem'), remove: () => rm(dir, { recursive: true, force: true }) };
}

export async function tlsService(name: string, answer: RequestListener): Promise<{ port: number; caFile: string; close(): Promise<void> }> {
  const dir = await mkdtemp(join(tmpdir(), 'svc-ca-'));
  const [key, caFile] = [join(dir, 'key.pem'), join(dir, 'ca.pem')];
  const subject = ['-subj', `/CN=${name}`, '-addext', `subjectAltName=DNS:${name}`];
  await promisify(execFile)('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-keyout', key, '-out', caFile, ...subject]);
  const server = createServer({ key: await readFile(key), cert: await readFile(caFile) }, answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    caFile,
    async close() {
      server.closeAllConnections();
      server.close();
      await rm(dir, { recursive: true, force: true });
    },
  };
}
