// Agents in Go and Rust: one static program, built without network, beside the declaration that the project
// brings.
import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { AuthorError, buildPaths, type BuildPlan } from './plan.ts';
import { frontendFolder } from './project.ts';
import { serviceDeclaration } from './service.ts';
import { checkSize, copyProject, listen, projectDeclaration, writeWorkerEntry } from './tools.ts';

/** The lines of a compiler's output that name a place. */
export const placeIn = { go: /^\.?[\w./-]+\.go:\d+/, rust: /error/ } as const;

const program = '.svc/worker';
const target = join(buildPaths.root, 'target');

export async function bundleGo(plan: BuildPlan): Promise<void> {
  const dsl = await declarationOf(plan);
  const built = join(buildPaths.root, 'worker');
  const vendored = existsSync(join(plan.source, 'vendor'));
  const env = { CGO_ENABLED: '0', GOCACHE: '/opt/go-cache', GOFLAGS: '-trimpath', GOPROXY: 'off', GOTOOLCHAIN: 'local', GOTELEMETRY: 'off' };
  const result = await listen(['go', 'build', ...(vendored ? ['-mod=vendor'] : []), '-ldflags=-s -w', '-o', built, '.'], plan.source, env);
  if (result.code !== 0) {
    const absent = /module lookup disabled|cannot find module|missing go\.sum entry|no required module/.test(result.stderr);
    const remedy = absent ? ' Builds have no module proxy: run `go mod vendor`, commit vendor/ and deploy again.' : '';
    throw new AuthorError(`${errorLines(result.stderr, placeIn.go)}${remedy}`);
  }
  finish(plan, built, dsl);
}

export async function bundleRust(plan: BuildPlan): Promise<void> {
  const dsl = await declarationOf(plan);
  const env = {
    CARGO_HOME: join(buildPaths.root, 'cargo'),
    CARGO_TARGET_DIR: target,
    CARGO_NET_OFFLINE: 'true',
    RUSTFLAGS: '-C target-feature=+crt-static',
    // What optimising costs under emulation is felt at every deploy.
    CARGO_PROFILE_RELEASE_OPT_LEVEL: '1',
    CARGO_PROFILE_RELEASE_LTO: 'off',
    CARGO_PROFILE_RELEASE_STRIP: 'symbols',
    CARGO_PROFILE_RELEASE_INCREMENTAL: 'false',
  };
  const result = await listen(['cargo', 'build', '--release', '--message-format', 'short', '--color', 'never'], plan.source, env);
  if (result.code !== 0) {
    const absent = /failed to (?:get|download|load source)|no matching package|offline/.test(result.stderr);
    const remedy = absent ? ' Builds have no crate registry: run `cargo vendor`, commit vendor/ with .cargo/config.toml and deploy again.' : '';
    throw new AuthorError(`${errorLines(result.stderr, placeIn.rust)}${remedy}`);
  }
  const name = rustProgram(readFileSync(join(plan.source, 'Cargo.toml'), 'utf8'));
  const built = join(target, 'release', name);
  if (!existsSync(built)) throw new AuthorError(`Cargo.toml names no program "${name}": an agent is a binary crate (src/main.rs).`);
  finish(plan, built, dsl);
}

/** Before the compiler is asked: what is wrong with it is known in a second. @throws AuthorError */
async function declarationOf(plan: BuildPlan): Promise<string> {
  return plan.service ? await serviceDeclaration(plan, plan.service) : projectDeclaration(plan.source);
}

function finish(plan: BuildPlan, built: string, dsl: string): void {
  const app = join(plan.out, 'app');
  copyProject(plan.source, app, ['vendor', 'target', 'Cargo.lock', 'go.sum', 'agent.dsl.json'], frontendFolder(plan));
  mkdirSync(join(app, '.svc'), { recursive: true });
  cpSync(built, join(app, program));
  chmodSync(join(app, program), 0o755);
  writeWorkerEntry(plan, dsl, { command: `/app/${program}`, args: [] });
  checkSize(plan);
}

/** The first program of a Cargo.toml: `[[bin]] name`, else the package's. */
export function rustProgram(manifest: string): string {
  const section = (head: string): string | undefined => manifest.split(/^\s*\[/m).find((part) => part.startsWith(head));
  const name = (text: string | undefined): string | undefined => /^\s*name\s*=\s*"([^"]+)"/m.exec(text ?? '')?.[1];
  return name(section('[bin]]')) ?? name(section('package]')) ?? 'main';
}

export function errorLines(text: string, wanted: RegExp): string {
  const lines = text.split('\n').map((line) => line.trim());
  const matchingLines = lines.filter((line) => wanted.test(line) && line !== '').slice(0, 3);
  const shown = matchingLines.length > 0 ? matchingLines : lines.filter((line) => line !== '').slice(-3);
  return shown.map((line) => line.slice(0, 400)).join('\n') || 'The compiler failed; its output is above.';
}
