// The Go that compiles what no package carries (Temporal where it cannot be downloaded, the workers in Go
// that tests run). Plain JavaScript: it runs before anything is installed.
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { UserError, runProgram } from './programs.mjs';

const version = '1.26.8';
/** Debian's own Go is too old to compile these programs and new enough to fetch the release that can. */
export const goPackage = 'golang-go';

/**
 * The folder of a Go that can compile them: the one on the PATH, else ours in the cache; undefined when there
 * is neither.
 */
export function findGo(env, cache) {
  const onPath = (env.PATH ?? '').split(delimiter).filter(Boolean);
  return [...onPath, cachedFolder(cache)].find((folder) => isNewEnough(join(folder, 'go'), env));
}

/** `env` with that Go first on the PATH; unchanged without one. */
export function withGo(env, cache) {
  const folder = findGo(env, cache);
  return folder === undefined ? env : { ...env, PATH: [folder, env.PATH ?? ''].join(delimiter) };
}

export function goStep(env, cache, after) {
  return {
    name: 'Go',
    after,
    lock: `go ${cache}`,
    isDone: () => findGo(env, cache) !== undefined,
    run: ({ report, signal }) => fetchGo(env, cache, { onLine: report, signal }),
  };
}

/**
 * Go publishes its releases as modules, so the Go client fetches one, and checks it against the checksum
 * database.
 */
async function fetchGo(env, cache, { onLine, signal }) {
  const platform = { x64: 'amd64', arm64: 'arm64' }[process.arch];
  if (platform === undefined) throw new UserError(`Go ${version} cannot be fetched for ${process.arch}. Install Go 1.25 or newer and run this again.`);
  const target = join(cache, `go-${version}`);
  const draft = `${target}.making`; // the step holds the lock: a killed attempt left this
  rmSync(draft, { recursive: true, force: true });
  mkdirSync(draft, { recursive: true });
  try {
    onLine(`fetching Go ${version}`);
    writeFileSync(join(draft, 'go.mod'), 'module toolchain\n');
    const module = `golang.org/toolchain@v0.0.1-go${version}.linux-${platform}`;
    const variables = { GOPATH: join(draft, 'path'), GOFLAGS: '-modcacherw', GOTOOLCHAIN: 'local' };
    await runProgram('go', ['mod', 'download', module], { cwd: draft, env: { ...env, ...variables }, onLine, signal });
    const root = join(draft, 'path/pkg/mod', module);
    // A module's files lose the right to be executed.
    for (const folder of ['bin', `pkg/tool/linux_${platform}`].map((name) => join(root, name)).filter(existsSync))
      for (const name of readdirSync(folder)) chmodSync(join(folder, name), 0o755);
    rmSync(target, { recursive: true, force: true });
    renameSync(root, target);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

const cachedFolder = (cache) => join(cache, `go-${version}`, 'bin');

/** From 1.21 on, Go fetches the release that a module asks for. */
function isNewEnough(program, env) {
  if (!existsSync(program)) return false;
  try {
    const text = execFileSync(program, ['env', 'GOVERSION'], { env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
    const [, major, minor] = /go(\d+)\.(\d+)/.exec(text) ?? [];
    return Number(major) > 1 || Number(minor) >= 21;
  } catch {
    return false;
  }
}
