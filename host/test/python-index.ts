// An index of a few Python packages on loopback, so that installing is tested without the internet.
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';

export interface TestWheel {
  name: string;
  /** Paths and texts of its modules. */
  files: Record<string, string>;
  requires?: string[];
  /**
   * Paths of further files, and their bytes: the first MiB is random, the rest zeros, so that much is
   * unpacked from little.
   */
  large?: Record<string, number>;
  /** Symbolic links among its files, and where they lead. */
  links?: Record<string, string>;
  /** It is a source distribution, with these files; there is no wheel. */
  sdist?: true;
}

export interface PythonIndex {
  url: string;
  asked: string[];
  close(): void;
}

const version = '1.0.0';
const zip = `import json, os, sys, zipfile
out = zipfile.ZipFile(sys.argv[1], "w", zipfile.ZIP_DEFLATED)
for name, target in json.loads(sys.argv[4]).items():
    link = zipfile.ZipInfo(name)
    link.create_system, link.external_attr = 3, 0o120777 << 16
    out.writestr(link, target)
for name, text in json.loads(sys.argv[2]).items(): out.writestr(name, text)
for name, size in json.loads(sys.argv[3]).items():
    with out.open(name, "w", force_zip64=True) as file:
        file.write(os.urandom(1 << 20))
        for _ in range((size >> 20) - 1): file.write(bytes(1 << 20))
out.close()`;

const tarball = `import io, json, sys, tarfile
with tarfile.open(sys.argv[1], "w:gz") as out:
    for name, text in json.loads(sys.argv[2]).items():
        entry = tarfile.TarInfo(sys.argv[3] + "/" + name)
        entry.size = len(text.encode())
        out.addfile(entry, io.BytesIO(text.encode()))`;

export async function pythonIndex(wheels: TestWheel[]): Promise<PythonIndex> {
  const dir = await mkdtemp(join(tmpdir(), 'svc-wheels-'));
  const served = new Map<string, Buffer>();
  const serve = async (name: string, file: string): Promise<void> => {
    const bytes = await readFile(file);
    const path = `/files/${basename(file)}`;
    served.set(path, bytes);
    const digest = createHash('sha256').update(bytes).digest('hex');
    served.set(`/simple/${name}/`, Buffer.from(`<!DOCTYPE html><html><body><a href="${path}#sha256=${digest}">${basename(file)}</a></body></html>`));
  };
  try {
    for (const { name, files, requires = [], large = {}, links = {}, sdist } of wheels) {
      const info = `${name}-${version}.dist-info`;
      const meta = ['Metadata-Version: 2.1', `Name: ${name}`, `Version: ${version}`, ...requires.map((one) => `Requires-Dist: ${one}`), ''].join('\n');
      if (sdist) {
        const file = join(dir, `${name}-${version}.tar.gz`);
        await promisify(execFile)('python3', ['-c', tarball, file, JSON.stringify({ ...files, 'PKG-INFO': meta }), `${name}-${version}`]);
        await serve(name, file);
        continue;
      }
      const all = {
        ...files,
        [`${info}/METADATA`]: meta,
        [`${info}/WHEEL`]: 'Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n',
      };
      const record = [...Object.keys(all), ...Object.keys(large), ...Object.keys(links), `${info}/RECORD`].map((path) => `${path},,\n`).join('');
      const file = join(dir, `${name}-${version}-py3-none-any.whl`);
      await promisify(execFile)('python3', [
        '-c',
        zip,
        file,
        JSON.stringify({ ...all, [`${info}/RECORD`]: record }),
        JSON.stringify(large),
        JSON.stringify(links),
      ]);
      await serve(name, file);
    }
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
  const asked: string[] = [];
  const server = createServer((request, response) => {
    const path = request.url ?? '/';
    asked.push(path);
    const body = served.get(path);
    const type = path.startsWith('/files/') ? 'application/octet-stream' : 'text/html';
    response.writeHead(body === undefined ? 404 : 200, { 'content-type': type, 'content-length': body?.length ?? 0 }).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://localhost:${(server.address() as AddressInfo).port}/simple`, asked, close: () => void server.close() };
}
