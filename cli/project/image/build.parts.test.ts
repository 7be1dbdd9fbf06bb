// `svc build`: the image of each language runs with nothing but what is in it, and reaches a real registry.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { testRegistry, type TestRegistry } from '#host/sandbox/test/registry.ts';
import { cites } from '#test/spec/verifies.ts';
import { freePort } from '#test/support/free-port.ts';
import { makeTool, type Tool } from '../../test/tool.ts';
import { scaffold } from '../scaffold.ts';

const TEST_MS = 300_000;
const isRoot = process.getuid?.() === 0;
const hasRegistry = works('apt-get', '--version') && works('skopeo', '--version') && works('umoci', '--version');
const hasPython = works('python3', '-c', 'import sys, venv; assert sys.version_info >= (3, 11)');

function works(program: string, ...args: string[]): boolean {
  try {
    execFileSync(program, args, { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

let home: string;
let tool: Tool;
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'svc-image-'));
  tool = await makeTool('http://localhost:1', '/nowhere');
});
afterAll(async () => {
  await tool.remove();
  await rm(home, { recursive: true, force: true });
});

interface Image {
  reference: string;
  layers: string[];
  config: { config: { User: string; Entrypoint: string[]; Labels: Record<string, string> } };
}

async function built(language: 'typescript' | 'python', ...more: string[]): Promise<Image> {
  const name = `greeter-${language}`;
  const folder = join(home, name);
  if (more.length === 0) await scaffold({ name, description: 'Greets', target: home, language });
  const { code, out, err } = await tool.run(['build', '-p', folder, ...more]);
  expect({ code, err }).toMatchObject({ code: 0 });
  const blob = (digest: string): string => join(folder, '.svc/image/blobs', digest.replace(':', '/'));
  const digest = /@(sha256:\w+)$/.exec(out.trim())?.[1] ?? '';
  const manifest = JSON.parse(await readFile(blob(digest), 'utf8'));
  const layers = manifest.layers.map((layer: { digest: string }) => blob(layer.digest));
  return { reference: out.trim(), layers, config: JSON.parse(await readFile(blob(manifest.config.digest), 'utf8')) };
}

/**
 * The answer of its first skill, run in a root folder that has the image's files alone, as the image's user.
 */
async function greeting({ layers, config }: Image): Promise<unknown> {
  const root = await mkdtemp(join(home, 'root-'));
  for (const layer of layers) execFileSync('tar', ['-xzf', layer, '-C', root]);
  // What every container engine adds.
  await mkdir(join(root, 'dev'));
  for (const [device, minor] of Object.entries({ null: '3', urandom: '9' })) execFileSync('mknod', ['-m', '666', join(root, 'dev', device), 'c', '1', minor]);
  const port = await freePort();
  const env = { PORT: String(port), HOST: '127.0.0.1', HOME: '/tmp', PATH: '/usr/local/bin:/usr/bin:/bin' };
  const child = spawn('/usr/sbin/chroot', [`--userspec=${config.config.User}`, root, ...config.config.Entrypoint], {
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()));
  try {
    for (;;) {
      if (child.exitCode !== null) throw new Error(`ended: ${said}`);
      const well = await fetch(`http://127.0.0.1:${port}/healthz`).then(
        ({ ok }) => ok,
        () => false,
      );
      if (well) break;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    const headers = { 'content-type': 'application/json' };
    return await (await fetch(`http://127.0.0.1:${port}/invoke/greet`, { method: 'POST', headers, body: '{"name":"Ada"}' })).json();
  } finally {
    if (child.exitCode === null) {
      const gone = once(child, 'exit');
      child.kill('SIGTERM');
      await gone;
    }
  }
}

describe.each([['typescript'], ['python']] as const)('svc build of %s', (language) => {
  const possible = language !== 'python' || hasPython;

  it.runIf(possible)('makes an image that says what it is, the same from the same files', async () => {
    const image = await built(language);
    expect(image.reference).toMatch(new RegExp(`^localhost:5000/greeter-${language}:0\\.1\\.0@sha256:`));
    expect(image.config.config).toMatchObject({ User: '65532:65532', Labels: { 'org.opencontainers.image.version': '0.1.0' } });
    expect((await built(language, '--registry', 'localhost:5000')).reference).toBe(image.reference);
  });

  it.runIf(possible && isRoot)('that runs with nothing but what is in it', async () => {
    expect(await greeting(await built(language, '--registry', 'localhost:5000'))).toEqual({ greeting: 'Hello, Ada!' });
  });
});

describe.runIf(hasRegistry)('svc build --push', () => {
  let registry: TestRegistry;
  beforeAll(async () => {
    registry = await testRegistry();
  }, TEST_MS);
  afterAll(() => registry.end());

  it('brings it into the registry, where it is what was built', { ...cites('cli.build') }, async () => {
    const { reference } = await built('typescript', '--registry', `${registry.name}/team`, '--push');
    const [, digest] = reference.split('@');
    const accept = { accept: 'application/vnd.oci.image.manifest.v1+json' };
    const found = await fetch(`http://${registry.name}/v2/team/greeter-typescript/manifests/0.1.0`, { headers: accept });
    expect(found.headers.get('docker-content-digest')).toBe(digest);
  });

  it('says what is wrong with a registry that does not exist', async () => {
    const ran = await tool.run(['build', '-p', join(home, 'greeter-typescript'), '--registry', `127.0.0.1:${await freePort()}`, '--push']);
    expect(ran).toMatchObject({ code: 1, out: '' });
    expect(ran.err).toContain('could not be pushed');
    await mkdir(join(home, 'empty'));
    expect((await tool.run(['build', '-p', join(home, 'empty'), '--registry', 'https://x'])).code).toBe(2);
  });
});
