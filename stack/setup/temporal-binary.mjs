// Finds the `temporal` program, or builds the pinned version with Go. Plain JavaScript: it runs before anything is installed.
import { execFileSync } from 'node:child_process';
import { accessSync, constants, mkdirSync, readFileSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { repository } from './folders.mjs';
import { withLock } from './lock.mjs';
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

/** Builds into the cache, unless it is found; one builder at a time. Resolves with the program's path. */
export function installTemporal(env, cache, around = {}) {
  const found = findTemporal(env, cache);
  if (found) return Promise.resolve(found);
  return withLock(`build ${cachedBinary(cache)}`, async () => findTemporal(env, cache) ?? build(env, cache, around));
}

async function build(env, cache, { onLine, signal }) {
  const version = temporalVersion();
  checkGo(env, version);
  const target = cachedBinary(cache);
  const draft = `${target}.building`; // we hold the lock: what is there was left by a killed build
  rmSync(draft, { recursive: true, force: true });
  mkdirSync(draft, { recursive: true });
  onLine?.(`go install of temporal ${version}: about 2 minutes`);
  try {
    await runProgram('go', ['install', '-v', '-ldflags=-s -w', `github.com/temporalio/cli/cmd/temporal@v${version}`], {
      env: { ...env, GOBIN: draft, GOFLAGS: '' },
      onLine,
      signal,
    });
    renameSync(join(draft, 'temporal'), target);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
  return target;
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

function checkGo(env, version) {
  const elsewhere = `or put a \`temporal\` program (${version} or newer; https://docs.temporal.io/cli) on the PATH`;
  let text;
  try {
    text = execFileSync('go', ['env', 'GOVERSION'], { env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  } catch {
    throw new UserError(`No temporal program and no Go to build it with. Install Go 1.25 or newer (https://go.dev/dl/), ${elsewhere}, and run this again.`);
  }
  const [, major, minor] = /go(\d+)\.(\d+)/.exec(text) ?? [];
  // From 1.21 on, Go fetches the toolchain that a module asks for.
  if (Number(major) === 1 && Number(minor) < 21) {
    throw new UserError(`Go ${major}.${minor} is too old to build temporal ${version}. Install Go 1.25 or newer (https://go.dev/dl/), ${elsewhere}.`);
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
