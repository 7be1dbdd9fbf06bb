// Finds the `temporal` program, or makes the pinned version be there: built with Go, else downloaded by the Temporal SDK. Plain JavaScript: it runs before anything is installed.
import { execFileSync } from 'node:child_process';
import { accessSync, constants, mkdirSync, readFileSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { repository } from './folders.mjs';
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

/** Builds it (where there is Go) or downloads it into the cache, unless it is found; one at a time. Resolves with the program's path. */
export function installTemporal(env, cache, around = {}) {
  const found = findTemporal(env, cache);
  if (found) return Promise.resolve(found);
  return withLock(`build ${cachedBinary(cache)}`, async () => findTemporal(env, cache) ?? make(env, cache, around));
}

async function make(env, cache, around) {
  const version = temporalVersion();
  const target = cachedBinary(cache);
  const draft = `${target}.making`; // we hold the lock: what is there was left by a killed attempt
  rmSync(draft, { recursive: true, force: true });
  mkdirSync(draft, { recursive: true });
  try {
    renameSync(hasGo(env) ? await build(env, version, draft, around) : await download(env, version, draft, around), target);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
  return target;
}

async function build(env, version, draft, { onLine, signal }) {
  onLine?.(`go install of temporal ${version}: about 2 minutes`);
  await runProgram('go', ['install', '-v', '-ldflags=-s -w', `github.com/temporalio/cli/cmd/temporal@v${version}`], {
    env: { ...env, GOBIN: draft, GOFLAGS: '' },
    onLine,
    signal,
  });
  return join(draft, 'temporal');
}

/** Through the Temporal SDK, which knows where its server is published. */
async function download(env, version, draft, { onLine, signal }) {
  onLine?.(`downloading temporal ${version} through the Temporal SDK`);
  const lines = [];
  const note = (line) => {
    lines.push(line);
    onLine?.(line);
  };
  try {
    await runProgram(node24, [join(repository, 'stack', 'setup', 'download-temporal.mjs'), draft, version], { env, onLine: note, signal });
  } catch (error) {
    if (signal?.aborted) throw error;
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

/** Of an age to build it: from 1.21 on, Go fetches the toolchain that a module asks for. */
export function hasGo(env) {
  try {
    const text = execFileSync('go', ['env', 'GOVERSION'], { env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
    const [, major, minor] = /go(\d+)\.(\d+)/.exec(text) ?? [];
    return Number(major) > 1 || Number(minor) >= 21;
  } catch {
    return false;
  }
}

function isProgram(path) {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
