// Agents that a person deployed, on an installation of their own, for programs of other people: each agent
// runs in its machine behind the ingress, and is reached by its name.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { installation, ok, repository } from '../../e2e/installation.ts';

const TSCONFIG = await readFile(join(repository, 'examples/task-fixture/tsconfig.json'), 'utf8');

/** Folders of the tree, or a class of the tests in a file that imports the SDK only. */
const AGENTS = {
  'task-fixture': { folder: 'examples/task-fixture' },
  'clients-agent': { file: 'test/clients/agent.ts', class: 'ClientsAgent' },
  'private-agent': { file: 'test/clients/agent.ts', class: 'ClientsAgent' },
  conformance: { file: 'test/protocols/conformance-agent.ts', class: 'ConformanceAgent' },
} as const;
export type AgentName = keyof typeof AGENTS;

export interface DeployedWorld {
  baseUrl: string;
  stateDir: string;
  /** An access token of the person who deployed the agents. */
  token: string;
  /** `http://NAME.localhost:…`, which only programs that `start` starts can resolve everywhere. */
  urlOf(agent: AgentName): string;
  start(program: string, args: readonly string[], options?: { cwd?: string; env?: NodeJS.ProcessEnv; timeout?: number }): ChildProcess;
  stop(): Promise<void>;
}

export async function deployedWorld(agents: readonly AgentName[], settings: Record<string, string>): Promise<DeployedWorld> {
  const i = await installation(settings);
  const stop = (): Promise<void> => i.destroy();
  try {
    ok(await i.stack('up'));
    ok(await i.svc('login', '--local', 'ada@svc.local'));
    for (const agent of agents) ok(await i.svc('deploy', await projectOf(agent), '--wait', agent === 'private-agent' ? '--no-public' : '--public'));
    const token = ok(await i.svc('token')).stdout.trim();
    const hosts = join(i.home, 'hosts');
    await writeFile(hosts, `127.0.0.1 localhost ${agents.map((agent) => `${agent}.localhost`).join(' ')}\n`);
    return {
      baseUrl: i.baseUrl,
      stateDir: i.stateDir,
      token,
      urlOf: (agent) => `http://${agent}.localhost:${i.port}`,
      start: (program, args, options) =>
        spawn('unshare', [...NAMESPACE, hosts, program, ...args], { stdio: ['ignore', 'pipe', 'pipe'], killSignal: 'SIGKILL', ...options }),
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }

  async function projectOf(agent: AgentName): Promise<string> {
    const from = AGENTS[agent];
    if ('folder' in from) return join(repository, from.folder);
    const source = await readFile(join(repository, from.file), 'utf8');
    const imports = /import \{ ([^}]+) \} from '(?:zod|#sdk[^']*)';\n/g;
    const names = [...source.matchAll(imports)].map(([, name]) => name);
    return i.project(agent, {
      'agent.ts': `import { ${names.join(', ')} } from '@svc/sdk';\n${source.replaceAll(imports, '').replace(/  name = '[^']+'/, `  name = '${agent}'`)}`,
      'svc.yaml': `name: ${agent}\nversion: ${/version = '([^']+)'/.exec(source)?.[1] ?? '1.0.0'}\nentrypoint: agent:${from.class}\n`,
      'package.json': JSON.stringify({ name: agent, version: '1.0.0', private: true, type: 'module' }),
      'tsconfig.json': TSCONFIG,
    });
  }
}

/**
 * The resolver of the C library knows no names below localhost without a name service of its own: such a
 * program reads these hosts in place of the machine's.
 */
const NAMESPACE = [
  ...(process.getuid?.() === 0 ? [] : ['--user', '--map-root-user']),
  '--mount',
  '--',
  'sh',
  '-c',
  'mount --bind "$0" /etc/hosts && exec "$@"',
];

/** Its exit code, and what it wrote. */
export async function outputOf(child: ChildProcess): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const said = { stdout: '', stderr: '' };
  child.stdout?.setEncoding('utf8').on('data', (piece: string) => (said.stdout += piece));
  child.stderr?.setEncoding('utf8').on('data', (piece: string) => (said.stderr += piece));
  const [code] = await once(child, 'close');
  return { code: typeof code === 'number' ? code : null, ...said };
}
