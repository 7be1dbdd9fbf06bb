// A whole installation for one trial: the real parts under their real supervisor. Without machines the host
// is test/chaos/host, which this keeps running as the supervisor would.
import { spawn, type ChildProcess } from 'node:child_process';
import { openSync, readFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { z } from 'zod';
import type { Inbox } from '#cli/runs/waiting.ts';
import { type Client, createClient } from '#contract/client.ts';
import type { Contract } from '#contract/index.ts';
import { knownPort } from '#stack/ports.ts';
import { identify, type Identity, isAlive, processesIn } from '#stack/process.ts';
import { readRecord } from '#stack/records.ts';
import { places } from '#stack/settings.ts';
import { type Installation, installation, ok } from '../e2e/installation.ts';
import { agentFiles } from './agents.ts';
import { giveModel } from './models.ts';
import { type Money, openMoney } from './money.ts';
import { ALLOWED, type Outside, outsideWorld } from './outside.ts';
import { until } from './persistent.ts';
import { tokenAt } from './signed-in.ts';
import { smallDisk } from './small-disk.ts';

export type PartName = 'worker' | 'api' | 'temporal' | 'postgres' | 'host' | 'imports';
export const AGENTS = ['chaos-a', 'chaos-b'] as const;

export interface World {
  i: Installation;
  /** Agents are in machines. */
  vm: boolean;
  api: Client<Contract>;
  inbox: Inbox;
  token: string;
  money: Money;
  db: pg.Pool;
  connectionString: string;
  outside: Outside;
  /** Where the agents write what they do. */
  marks: string;
  /** The process of a part, while it has one. */
  processOf(part: PartName): Identity | undefined;
  /** Processes that agents run in: machines, or plain ones. */
  machines(): Promise<Identity[]>;
  /** Resolves when every part works again. */
  well(): Promise<void>;
  deploy(name: string, version: string): Promise<void>;
  destroy(): Promise<void>;
}

const Stored = z.object({ process: z.object({ pid: z.int(), start_time: z.string() }).optional() });

export async function createWorld({ vm, say }: { vm: boolean; say: (text: string) => void }): Promise<World> {
  const outside = await outsideWorld();
  const disk = smallDisk();
  const i = await installation({ ...outside.env, ...(!vm && { SVC_PARTS: 'postgres,temporal,migrate,namespace,worker,api,imports' }) }, disk);
  outside.authority.lookAt = i.port;
  const where = places(i.stateDir);
  const host = vm ? undefined : keepHost(i);
  try {
    ok(await i.stack('up'));
    say(`installation at ${i.stateDir}`);
    await deployAll(i, say);
    const token = await tokenAt(i, i.home);
    const api = createClient({ baseUrl: i.baseUrl, token });
    for (const name of AGENTS) await giveMailbox(api, name);
    await giveModel(api, outside.provider);
    const password = readFileSync(where.postgresPassword, 'utf8').trim();
    const connectionString = `postgres://svc:${password}@127.0.0.1:${knownPort(where.ports, 'postgres') ?? 0}/svc`;
    const db = new pg.Pool({ connectionString, max: 4 });
    db.on('error', () => undefined);
    const money = await openMoney({ i, agents: AGENTS, owner: api, ownerToken: token, sql: (text) => db.query(text) });
    const processOf = (part: PartName): Identity | undefined => {
      const identity = part === 'host' && host ? host.process() : readRecord(where.run, part)?.process;
      return identity && isAlive(identity) ? identity : undefined;
    };
    return {
      i,
      vm,
      api,
      inbox: createClient({ baseUrl: i.baseUrl, token }).inbox,
      token,
      money,
      db,
      connectionString,
      outside,
      marks: vm ? '/tmp/marks' : join(i.home, 'marks'),
      processOf,
      machines: () => (vm ? Promise.resolve(processesIn('qemu-', where.machines)) : agentProcesses(where.machines)),
      well: () => well(i, db, processOf),
      deploy: async (name, version) => void ok(await i.svc('deploy', await i.project(name, agentFiles(name, version)), '--wait')),
      destroy: async () => {
        await db.end();
        await host?.stop();
        await i.destroy();
        await outside.close();
      },
    };
  } catch (error) {
    await host?.stop();
    await i.destroy();
    await outside.close();
    throw error;
  }
}

async function deployAll(i: Installation, say: (text: string) => void): Promise<void> {
  for (const name of AGENTS) {
    const from = Date.now();
    ok(await i.svc('local-deploy', await i.project(name, agentFiles(name)), '--wait-agent', '--json'));
    say(`${name} deployed in ${Date.now() - from} ms`);
  }
}

async function giveMailbox(api: Client<Contract>, name: string): Promise<void> {
  const params = { name };
  await api.agentMailboxes.create({ params, body: { allowed_senders: ALLOWED } });
  await until('set up a mailbox', async () => {
    const { state } = await api.agentMailboxes.get({ params });
    if (state !== 'ready') throw new Error(`the mailbox is ${state}`);
  });
}

async function well(i: Installation, db: pg.Pool, processOf: World['processOf']): Promise<void> {
  // Two minutes are enough for an idle machine; one with other work has the same parts, later.
  for (const until = Date.now() + 300_000; ;) {
    const parts: PartName[] = ['worker', 'api', 'temporal', 'postgres', 'host', 'imports'];
    const down = parts.filter((part) => processOf(part) === undefined);
    const ready = await fetch(`${i.baseUrl}/readyz`, { signal: AbortSignal.timeout(3_000) }).then(
      (response) => response.ok,
      () => false,
    );
    const worker = await fetchWorker(i);
    const answers = await db.query('select 1').then(
      () => true,
      () => false,
    );
    if (down.length === 0 && ready && worker && answers) return;
    if (Date.now() > until)
      throw new Error(`after five minutes not well: down ${down.join(', ') || 'nothing'}; API ready ${ready}; worker ${worker}; database ${answers}`);
    await sleep(250);
  }
}

/** It renews its sign of life every five seconds. */
async function fetchWorker(i: Installation): Promise<boolean> {
  return readRecord(places(i.stateDir).run, 'worker')?.state === 'healthy';
}

async function agentProcesses(folder: string): Promise<Identity[]> {
  const found: Identity[] = [];
  for (const id of await readdir(folder).catch((): string[] => [])) {
    const text = await readFile(join(folder, id, 'instance.json'), 'utf8').catch(() => undefined);
    const stored = text === undefined ? undefined : Stored.safeParse(JSON.parse(text)).data?.process;
    if (stored && isAlive(stored)) found.push(stored);
  }
  return found;
}

export interface KeptHost {
  process(): Identity | undefined;
  stop(): Promise<void>;
}

/** Agents as plain processes, under a host that is started again when it ends. */
export function keepHost(i: Installation): KeptHost {
  let stopped = false;
  let child: ChildProcess | undefined;
  const program = fileURLToPath(new URL('./host/main.ts', import.meta.url));
  const begin = (): void => {
    const log = openSync(join(i.stateDir, 'host.log'), 'a', 0o600);
    const env = { ...i.env, SVC_SUPERVISED: i.stateDir };
    child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', program], { env, stdio: ['ignore', log, log], detached: true });
    child.once('exit', () => void (stopped || setTimeout(() => stopped || begin(), 300)));
  };
  begin();
  return {
    process: () => (child?.pid === undefined ? undefined : identify(child.pid)),
    stop: async () => {
      stopped = true;
      child?.kill('SIGKILL');
    },
  };
}
