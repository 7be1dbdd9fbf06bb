// Finds the `temporal` program, or makes the pinned version be there: downloaded by the Temporal SDK, else built with Go. Plain JavaScript: it runs before anything is installed.
import { accessSync, constants, mkdirSync, readFileSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { repository } from './folders.mjs';
import { findGo, withGo } from './go.mjs';
import { withLock } from './lock.mjs';
import { node24 } from './npm.mjs';
import { UserError, runProgram } from './programs.mjs';

/** The version that temporal-dev.yml pins by its image. */
export function temporalVersion() {
  const version = /temporalio\/temporal:(\S+)/.exec(readFileSync(join(repository, 'temporal-dev.yml'), 'utf8'))?.[1];
  if (!version) throw new Error('temporal-dev.yml names no version: its image must be temporalio/temporal:<version>');
  return version;
}

/** PATH, our cache, what the Temporal SDK downloaded before; undefined when none has it. */
export function findTemporal(env, cache) {
  const onPath = (env.PATH ?? '')
    .split(delimiter)
    .filter(Boolean)
    .map((folder) => join(folder, 'temporal'));
  return [...onPath, cachedBinary(cache), ...downloads()].find(isProgram);
}

/** True when the place that publishes the program answers within 3 s; behind a proxy that is not asked. */
export function isPublisherReachable(env) {
  if (env.HTTPS_PROXY || env.https_proxy) return Promise.resolve(true);
  return new Promise((resolve) => {
    const socket = connect({ host: 'temporal.download', port: 443, timeout: 3_000 });
    const end = (answer) => {
      socket.destroy();
      resolve(answer);
    };
    socket
      .once('connect', () => end(true))
      .once('timeout', () => end(false))
      .once('error', () => end(false));
  });
}

/** Downloads it into the cache, or builds it where that fails and there is Go, unless it is found; one at a time. Resolves with the program's path. */
export function installTemporal(env, cache, around = {}) {
  const found = findTemporal(env, cache);
  if (found) return Promise.resolve(found);
  return withLock(`build ${cachedBinary(cache)}`, async () => findTemporal(env, cache) ?? make(env, cache, around));
}

async function make(env, cache, { download = true, ...around }) {
  const version = temporalVersion();
  const target = cachedBinary(cache);
  const draft = `${target}.making`; // we hold the lock: a killed attempt left this
  rmSync(draft, { recursive: true, force: true });
  mkdirSync(draft, { recursive: true });
  try {
    const hasGo = findGo(env, cache) !== undefined;
    const downloaded = download || !hasGo ? await fetchProgram(env, version, draft, { ...around, hasGo }) : undefined;
    renameSync(downloaded ?? (await build(withGo(env, cache), version, draft, around)), target);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
  return target;
}

async function build(env, version, draft, { onLine, signal }) {
  onLine?.(`go install of temporal ${version}: about 3 minutes`);
  await runProgram('go', ['install', '-v', '-ldflags=-s -w', `github.com/temporalio/cli/cmd/temporal@v${version}`], {
    env: { ...env, GOBIN: draft, GOFLAGS: '' },
    onLine,
    signal,
  });
  return join(draft, 'temporal');
}

/** Where Go can build it instead, a slow download is given up after this. */
const DOWNLOAD_MS = 60_000;

/** Through the Temporal SDK, which knows where its server is published. Resolves with undefined when that fails and there is Go. */
async function fetchProgram(env, version, draft, { onLine, signal, hasGo }) {
  onLine?.(`downloading temporal ${version} through the Temporal SDK`);
  const lines = [];
  const note = (line) => {
    lines.push(line);
    onLine?.(line);
  };
  const limits = [signal, hasGo ? AbortSignal.timeout(DOWNLOAD_MS) : undefined].filter((one) => one !== undefined);
  try {
    await runProgram(node24, [join(repository, 'stack', 'setup', 'download-temporal.mjs'), draft, version], {
      env,
      onLine: note,
      signal: AbortSignal.any(limits),
    });
  } catch (error) {
    if (signal?.aborted) throw error;
    if (hasGo) return undefined;
    throw new UserError(
      `No temporal program, no Go to build one with, and the Temporal SDK could not download it. Install Go 1.25 or newer (https://go.dev/dl/), or put a \`temporal\` program (${version} or newer; https://docs.temporal.io/cli) on the PATH, and run this again.`,
    );
  }
  return lines.filter((line) => line.startsWith(draft)).at(-1) ?? '';
}

function cachedBinary(cache) {
  return join(cache, `temporal-${temporalVersion()}`);
}

/** The SDK downloads to the temporary folder, where anybody may write: only files that are ours alone count. */
function downloads() {
  return readdirSync(tmpdir())
    .filter((name) => /^temporal-(sdk-typescript|cli)-[\w.-]+$/.test(name))
    .map((name) => join(tmpdir(), name))
    .filter((path) => {
      const { uid, mode } = statSync(path);
      return uid === process.getuid?.() && (mode & 0o022) === 0;
    });
}

function isProgram(path) {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
