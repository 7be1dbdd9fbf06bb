// Pebble, Let's Encrypt's own test server, in strict mode: built once into the cache folder (`go install`,
// two minutes), a process for each test file.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { z } from 'zod';
import { cacheFolder } from '#stack/setup/folders.mjs';
import { freePort } from './free-port.ts';

const PEBBLE = 'github.com/letsencrypt/pebble/v2';
const VERSION = 'v2.10.1';

export interface Pebble {
  directoryUrl: string;
  /** Of who signed the server's own certificate. */
  caFile: string;
  /** Of who signs what it issues. */
  rootFile: string;
  /** `Valid`, `Revoked` …, by the serial number in hexadecimal. */
  statusOf(serial: string): Promise<string>;
  stop(): Promise<void>;
}

export interface PebbleOptions {
  /** Where it looks for challenges by http. */
  httpPort: number;
  /** `address:port` */
  dns: string;
  /** Seconds that certificates hold; default 90 days. */
  life?: number;
  env?: Record<string, string>;
}

const run = promisify(execFile);

export async function startPebble({ httpPort, dns, life = 7_776_000, env = {} }: PebbleOptions): Promise<Pebble> {
  const [program, source] = [await built(), await sourceFolder()];
  const folder = await mkdtemp(join(tmpdir(), 'svc-pebble-'));
  const [port, management] = [await freePort(), await freePort()];
  const caFile = join(source, 'test', 'certs', 'pebble.minica.pem');
  const config = join(folder, 'config.json');
  await writeFile(
    config,
    JSON.stringify({
      pebble: {
        listenAddress: `127.0.0.1:${port}`,
        managementListenAddress: `127.0.0.1:${management}`,
        certificate: join(source, 'test', 'certs', 'localhost', 'cert.pem'),
        privateKey: join(source, 'test', 'certs', 'localhost', 'key.pem'),
        httpPort,
        tlsPort: httpPort,
        ocspResponderURL: '',
        externalAccountBindingRequired: false,
        retryAfter: { authz: 1, order: 1 },
        keyAlgorithm: 'ecdsa',
        profiles: { default: { description: 'of the test', validityPeriod: life } },
      },
    }),
  );
  const child = spawn(program, ['-config', config, '-dnsserver', dns, '-strict'], { stdio: 'ignore', env: { ...process.env, PEBBLE_VA_NOSLEEP: '1', ...env } });
  const rootFile = join(folder, 'root.pem');
  const ask = async (path: string): Promise<string> => {
    const sent = request({ host: '127.0.0.1', port: management, path, rejectUnauthorized: false, agent: false });
    sent.end();
    const [answer] = await once(sent, 'response');
    return text(answer);
  };
  for (let tries = 0; ; tries += 1) {
    const root = await ask('/roots/0').catch(() => undefined);
    if (root !== undefined) {
      await writeFile(rootFile, root);
      break;
    }
    if (tries === 100 || child.exitCode !== null) throw new Error('pebble does not start');
    await delay(100);
  }
  return {
    directoryUrl: `https://localhost:${port}/dir`,
    caFile,
    rootFile,
    statusOf: async (serial) => z.object({ Status: z.string() }).parse(JSON.parse(await ask(`/cert-status-by-serial/${serial.toLowerCase()}`))).Status,
    async stop() {
      child.kill();
      if (child.exitCode === null) await once(child, 'exit');
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function built(): Promise<string> {
  const bin = join(cacheFolder(process.env), 'outside', 'bin');
  const program = join(bin, 'pebble');
  const there = await access(program).then(
    () => true,
    () => false,
  );
  if (there) return program;
  await mkdir(bin, { recursive: true });
  await run('go', ['install', `${PEBBLE}/cmd/pebble@${VERSION}`], { env: { ...process.env, GOBIN: bin } });
  return program;
}

/** Its own certificates lie beside its source. */
async function sourceFolder(): Promise<string> {
  const { stdout } = await run('go', ['mod', 'download', '-json', `${PEBBLE}@${VERSION}`], { cwd: tmpdir() });
  return z.object({ Dir: z.string() }).parse(JSON.parse(stdout)).Dir;
}
