// A whole installation of its own for one test file: state, ports, home folder; driven from outside by the
// commands people use. starts: stack/bootstrap.mjs stack/main.ts cli/bin/svc cli/main.ts cli/templates
// sdk/python examples
import { spawn } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { freePort } from '#stack/ports.ts';

export const repository = fileURLToPath(new URL('../..', import.meta.url));

export interface Outcome {
  code: number | null;
  stdout: string;
  stderr: string;
}

export interface PartStatus {
  part: string;
  pid?: number;
  state: string;
}

export interface Installation {
  baseUrl: string;
  /** `host:port` of an agent's own address, for requests that name the host in a header. */
  port: number;
  stateDir: string;
  home: string;
  env: Record<string, string>;
  /** `npm run <command>` of the stack, without npm. */
  stack(...args: string[]): Promise<Outcome>;
  /** `svc …`, of the clone's cli/bin on the PATH. */
  svc(...args: string[]): Promise<Outcome>;
  /** The same for another person of this machine: a home folder of their own. */
  svcAs(home: string, ...args: string[]): Promise<Outcome>;
  /** Writes a project and resolves with its folder. */
  project(name: string, files: Record<string, string>): Promise<string>;
  /** Ends a part as a crash would; the supervisor starts it again. */
  kill(part: string): Promise<void>;
  /** Stops everything and removes what there was. */
  destroy(): Promise<void>;
}

/**
 * `disk`: where its state is, apart from what the people who use it have. `clone`: whose programs it runs;
 * default: this one's.
 */
export async function installation(extra: Record<string, string> = {}, disk?: string, clone = repository): Promise<Installation> {
  const root = await mkdtemp(join(tmpdir(), 'svc-e2e-'));
  const stateDir = join(disk ?? root, 'state');
  const home = join(root, 'home');
  await Promise.all([mkdir(stateDir, { mode: 0o711 }), mkdir(home, { mode: 0o700 })]);
  // The folders above must be open to the users that run the database and the machines.
  await chmod(root, 0o711);
  const [port, temporal, ui] = [await freePort(), await freePort(), await freePort()];
  const env: Record<string, string> = {
    ...inherited(),
    SVC_STATE_DIR: stateDir,
    SVC_PORT: String(port),
    SVC_TEMPORAL_PORT: String(temporal),
    SVC_TEMPORAL_UI_PORT: String(ui),
    SVC_API_URL: `http://localhost:${port}`,
    HOME: home,
    NO_COLOR: '1',
    CI: 'true',
    // A spare machine for sandboxes, which most files never open, is a boot after each start of the host.
    SVC_SANDBOX_PREPARE_SECONDS: '1000000',
    PATH: `${join(clone, 'cli/bin')}:${process.env.PATH ?? ''}`,
    ...extra,
  };
  const run = (args: string[], more: Record<string, string> = {}): Promise<Outcome> => execute(clone, args, { ...env, ...more });
  const self: Installation = {
    baseUrl: `http://localhost:${port}`,
    port,
    stateDir,
    home,
    env,
    stack: (...args) => run(['stack/main.ts', ...args]),
    svc: (...args) => run(['cli/bin/svc', ...args]),
    svcAs: (otherHome, ...args) => run(['cli/bin/svc', ...args], { HOME: otherHome }),
    project: async (name, files) => {
      const folder = join(root, 'projects', name);
      for (const [path, content] of Object.entries(files)) {
        await mkdir(join(folder, path, '..'), { recursive: true });
        await writeFile(join(folder, path), content);
      }
      return folder;
    },
    kill: async (part) => {
      const { pid } = await partStatus(self, part);
      if (pid === undefined) throw new Error(`${part} has no process`);
      process.kill(pid, 'SIGKILL');
    },
    destroy: async () => {
      const down = await self.stack('down');
      if (down.code !== 0) throw new Error(`down failed:\n${down.stdout}${down.stderr}`);
      await rm(root, { recursive: true, force: true });
    },
  };
  return self;
}

export async function partStatus(i: Installation, part: string): Promise<PartStatus> {
  const found = (await statusOf(i)).find((p) => p.part === part);
  if (!found) throw new Error(`status shows no part ${part}`);
  return found;
}

export async function statusOf(i: Installation): Promise<PartStatus[]> {
  const { stdout } = await i.stack('status', '--json');
  const parsed: { parts: PartStatus[] } = JSON.parse(stdout);
  return parsed.parts;
}

/** Throws with everything the program said when it did not end well. */
export function ok(outcome: Outcome): Outcome {
  if (outcome.code !== 0) throw new Error(`exit code ${outcome.code}\n${outcome.stdout}\n${outcome.stderr}`);
  return outcome;
}

async function execute(cwd: string, args: string[], env: Record<string, string>): Promise<Outcome> {
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', ...args], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
  const [stdout, stderr, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  return { code, stdout, stderr };
}

function inherited(): Record<string, string> {
  // By the name of the test file its processor time is counted (test/tiers/orphans.ts); the cache folder has
  // what set-up made.
  const drop = /^(?:SVC_(?!TEST_FILE|CACHE_DIR)|DATABASE_URL|TEMPORAL_|OIDC_|VITEST|NODE_OPTIONS|npm_)/;
  return Object.fromEntries(Object.entries(process.env).flatMap(([name, value]) => (value === undefined || drop.test(name) ? [] : [[name, value]])));
}

export async function logOf(i: Installation, part: string): Promise<string> {
  return readFile(join(i.stateDir, 'logs', `${part}.log`), 'utf8');
}
