// A package registry of a few packages on loopback, so that installing is tested without the internet.
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { create } from 'tar';

export interface TestPackage {
  name: string;
  files: Record<string, string>;
  /** More of its package.json. */
  manifest?: Record<string, unknown>;
  /** The tarball itself, in place of one that is made of the files. */
  archive?: Buffer;
}

export interface TestRegistry {
  url: string;
  /** Requests so far, by path. */
  asked: string[];
  close(): void;
}

export async function testRegistry(packages: TestPackage[]): Promise<TestRegistry> {
  const served = new Map<string, Buffer>();
  const asked: string[] = [];
  const server: Server = createServer((request, response) => {
    const path = decodeURIComponent(request.url ?? '/');
    asked.push(path);
    const body = served.get(path);
    response
      .writeHead(body === undefined ? 404 : 200, { 'content-type': path.endsWith('.tgz') ? 'application/octet-stream' : 'application/json' })
      .end(body ?? '{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://localhost:${(server.address() as AddressInfo).port}/`;
  for (const one of packages) {
    const manifest = { name: one.name, version: '1.0.0', main: 'index.js', ...one.manifest };
    const archive = one.archive ?? (await pack({ ...one.files, 'package.json': JSON.stringify(manifest) }));
    const tarball = `/${one.name}/-/${one.name}-1.0.0.tgz`;
    const dist = { tarball: `${url}${tarball.slice(1)}`, integrity: `sha512-${createHash('sha512').update(archive).digest('base64')}` };
    served.set(tarball, archive);
    served.set(`/${one.name}`, Buffer.from(JSON.stringify({ name: one.name, 'dist-tags': { latest: '1.0.0' }, versions: { '1.0.0': { ...manifest, dist } } })));
  }
  return { url, asked, close: () => void server.close() };
}

async function pack(files: Record<string, string>): Promise<Buffer> {
  const dir = await mkdtemp(join(tmpdir(), 'svc-package-'));
  try {
    for (const [name, text] of Object.entries(files)) {
      const path = join(dir, 'package', name);
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, text);
    }
    return await create({ cwd: dir, gzip: true, portable: true }, ['package']).concat();
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}
