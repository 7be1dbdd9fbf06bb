// One dev box: its machine while it has one, its files always. It is awake as long as its sshd has a
// connection.
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import { listenBridge, type Bridge } from '../agents/bridge.ts';
import type { EgressProxy } from '../egress/proxy.ts';
import type { Machine } from '../microvm/port.ts';
import { dropFolder } from '../resources/files.ts';
import { LastUse } from '../resources/last-use.ts';
import type { Lease, MemoryBudget } from '../resources/memory-budget.ts';
import { SandboxError } from '#drivers/sandbox/port.ts';
import type { BoxStatus } from '#drivers/box/port.ts';
import { type BoxMachines, must } from './machines.ts';
import { type BoxSettings, maxConnections } from './options.ts';
import { type BoxRecord, saveBox } from './record.ts';
import { createSshds } from './sshds.ts';

const takeMs = 10_000;
const emulatorMib = 96;

export interface Up {
  machine: Machine;
  egress: EgressProxy;
  /** Absent while it is suspended. */
  lease: Lease | undefined;
}

export interface Box {
  readonly record: BoxRecord;
  readonly machine: Machine | undefined;
  status(): BoxStatus;
  /** Starts or wakes it. */
  open(hostKey: string): Promise<void>;
  seed(name: string, bundle: AsyncIterable<Uint8Array>): Promise<void>;
  sleep(): Promise<void>;
  /** Ends its machine. */
  stop(): Promise<void>;
  close(): Promise<void>;
  idleMs(): number;
}

interface Parts {
  dir: string;
  record: BoxRecord;
  machines: BoxMachines;
  budget: MemoryBudget;
  settings: BoxSettings;
  up: Up | undefined;
  log(fields: Record<string, unknown>): void;
}

export async function createBox({ dir, record, machines, budget, settings, up: given, log }: Parts): Promise<Box> {
  const id = record.box_id;
  let up = given;
  let fault: string | undefined;
  let turn: Promise<unknown> = Promise.resolve();
  let moving = 0;
  const sessions = new Set<Duplex>();
  const last = new LastUse(record);
  const use = (): void => last.note();

  /** One move after the other. */
  function move<T>(work: () => Promise<T>): Promise<T> {
    moving++;
    const mine = turn.then(work, work).finally(() => moving--);
    turn = mine.catch(() => undefined);
    return mine;
  }
  async function note(state: BoxRecord['state']): Promise<void> {
    record.state = state;
    await saveBox(dir, record);
  }
  function watch(mine: Up): void {
    void mine.machine.stopped.then(({ reason }) => {
      if (up !== mine) return;
      log({ msg: 'box_lost', box_id: id, reason });
      return move(() => drop(mine)).catch((error: unknown) => log({ msg: 'box_drop_failed', box_id: id, error: String(error) }));
    });
  }
  async function drop(mine: Up): Promise<void> {
    if (up === mine) up = undefined;
    sshds.drop();
    for (const session of sessions) session.destroy();
    await mine.machine.kill();
    mine.egress.close();
    mine.lease?.release();
    await dropFolder(machines.dirOf(id));
    if (up === undefined) await note('stopped');
  }

  async function start(hostKey: string): Promise<void> {
    const began = Date.now();
    const lease = await budget.take(settings.memoryMib + emulatorMib, takeMs);
    try {
      record.machine_mib = settings.memoryMib;
      await note('starting');
      up = { ...(await machines.start({ id, dir, hostKey })), lease };
      watch(up);
      await note('running');
      log({ msg: 'box_started', box_id: id, ms: Date.now() - began });
      void sshds.prepare();
    } catch (error) {
      lease.release();
      await note('stopped');
      throw error;
    }
  }
  async function rouse(mine: Up): Promise<void> {
    if (mine.machine.state === 'running') return;
    mine.lease ??= await budget.take(record.machine_mib + emulatorMib, takeMs);
    try {
      await mine.machine.wake();
      await note('running');
    } catch (error) {
      mine.lease.release();
      mine.lease = undefined;
      throw error;
    }
  }
  const wake = (): Promise<void> =>
    move(async () => {
      if (up === undefined) throw new SandboxError('stopped', 'The dev box has no machine; open it again.');
      await rouse(up);
      use();
    });

  async function connect(service: 'ssh' | 'web'): Promise<Duplex> {
    if (up?.machine.state !== 'running') throw new SandboxError('stopped', 'The dev box went to sleep or ended meanwhile; connect again.');
    return up.machine.connect(service);
  }
  const sshds = createSshds(() => connect('ssh'));
  async function openSession(): Promise<Duplex> {
    await wake();
    const session = sshds.session();
    sessions.add(session);
    session.once('close', () => {
      sessions.delete(session);
      use();
    });
    return session;
  }

  const sleeper = (open: () => Promise<Duplex>) => ({
    open,
    wake,
    touch: () => {
      use();
      return up?.machine.state === 'running';
    },
  });
  const bridges: Bridge[] = [
    await listenBridge(join(dir, 'ssh.sock'), sleeper(openSession), { speaksHttp: false, most: maxConnections }),
    await listenBridge(
      join(dir, 'web.sock'),
      sleeper(() => wake().then(() => connect('web'))),
    ),
  ];
  if (up !== undefined) watch(up);

  const stop = (): Promise<void> =>
    move(async () => {
      if (up === undefined) return;
      const mine = up;
      // What programs wrote a moment ago reaches the disk.
      if (mine.machine.state === 'running') await must(mine.machine, 'sync', []).catch(() => undefined);
      await drop(mine);
    });

  return {
    record,
    get machine() {
      return up?.machine;
    },
    status: () => ({
      box_id: id,
      state: record.state,
      ...(fault === undefined ? {} : { fault }),
      seeded: record.seeded,
      connections: sessions.size,
      last_used_at: record.last_used_at,
    }),
    open: (hostKey) =>
      move(async () => {
        use();
        try {
          if (up === undefined) await start(hostKey);
          else await rouse(up);
          fault = undefined;
        } catch (error) {
          fault = error instanceof Error ? error.message : String(error);
          throw error;
        } finally {
          use();
        }
      }),
    seed: (name, bundle) =>
      move(async () => {
        if (up === undefined) throw new SandboxError('stopped', 'The dev box has no machine; open it again.');
        if (record.seeded) return;
        await rouse(up);
        await must(up.machine, 'sh', ['-c', SEED, 'seed', name], bundle);
        record.seeded = true;
        await note(record.state);
      }),
    sleep: () =>
      move(async () => {
        if (up === undefined || up.machine.state === 'suspended') return;
        const mine = up;
        if (mine.machine.state === 'running') await Promise.all([must(mine.machine, 'sync', []), sshds.prepare()]);
        await mine.machine.suspend();
        mine.lease?.release();
        mine.lease = undefined;
        await note('suspended');
      }),
    stop,
    async close() {
      await Promise.all(bridges.map((bridge) => bridge.close()));
      await turn;
    },
    idleMs: () => (moving > 0 || sessions.size > 0 ? 0 : last.idleMs()),
  };
}

/** $1: the agent's name. Standard input: a bundle; nothing where the agent has no repository yet. */
const SEED = `set -e
umask 022
cd /home/agent
cat > /tmp/seed.bundle
chmod 644 /tmp/seed.bundle
if [ -s /tmp/seed.bundle ] && [ ! -e "$1" ]; then
  setpriv --reuid 1000 --regid 1000 --clear-groups env HOME=/home/agent git clone -q /tmp/seed.bundle "$1"
  setpriv --reuid 1000 --regid 1000 --clear-groups env HOME=/home/agent git -C "$1" remote remove origin
fi
rm -f /tmp/seed.bundle`;
