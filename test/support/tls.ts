// An HTTPS service under an authority of its own, which only who is told trusts.
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import type { RequestListener } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

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
