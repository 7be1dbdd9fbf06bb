// `svc dev`: keeps the project here and in the box the same, serves it there, and says what happens.
import { createHash } from 'node:crypto';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { CliError } from '../lib/errors.ts';
import { watchProject } from '../project/watch.ts';
import { Applier, type Write, writeWhole } from './apply.ts';
import type { Settings } from './frames.ts';
import { type Conflict, isEmpty, type Plan, planSync, rulesFirst } from './plan.ts';
import type { Remote } from './remote.ts';
import { type Base, type FileFacts, markOf, Scanner, TooMuch } from './tree.ts';

const Agreed = z.object({ tree_id: z.string(), base: z.record(z.string(), z.string()) });
/** Rounds in a row that may find new changes, from files that are written meanwhile. */
const MAX_ROUNDS = 20;
/** Bytes of contents sent ahead of the box's answers. */
const MAX_UNDER_WAY = 4 * 1_048_576;
/** An editor's save is several events. */
const QUIET_MS = 40;

export interface Events {
  synced(event: { pushed: number; pulled: number; removed: number; conflicts: Conflict[]; ms: number }): void;
  served(event: { well: boolean; ms: number; paths: string[] }): void;
  problem(message: string): void;
}

export class DevSession {
  readonly #remote: Remote;
  readonly #scanner: Scanner;
  readonly #applier: Applier;
  readonly #folder: string;
  readonly #events: Events;
  readonly #reload: boolean;
  #base: Base = new Map();
  #treeId = '';
  #skewMs = 0;
  /** What is in the box; undefined: to be asked for. */
  #box: Map<string, FileFacts> | undefined;
  #busy: Promise<void> = Promise.resolve();
  #wanted = false;

  constructor(folder: string, remote: Remote, events: Events, { reload, allowSecrets }: { reload: boolean; allowSecrets: boolean }) {
    this.#folder = folder;
    this.#remote = remote;
    this.#scanner = new Scanner(folder, { refuseSecrets: !allowSecrets });
    this.#applier = new Applier(folder);
    this.#events = events;
    this.#reload = reload;
  }

  /** The first sync, then the agent is brought up. */
  async begin(settings: Settings): Promise<void> {
    await this.#applier.recover();
    const { head } = await this.#remote.ask({ do: 'begin', settings }, 'ready');
    this.#treeId = head.tree_id;
    this.#skewMs = Date.now() - head.now;
    const agreed = await readAgreed(this.#file);
    if (agreed?.tree_id === head.tree_id) this.#base = new Map(Object.entries(agreed.base));
    // Never synced from here, and all of it is in the repository: then what is here is what its author wants.
    else if (head.pristine) this.#base = new Map([...(await this.#lookAtBox())].map(([path, facts]) => [path, markOf(facts)]));
    await this.#rounds([], true);
  }

  /** Until `stop` aborts. */
  async follow(stop: AbortSignal): Promise<void> {
    const watcher = watchProject(this.#folder, () => this.sync(), QUIET_MS);
    // Files that were saved before the watch started.
    this.sync();
    await Promise.race([new Promise<void>((resolve) => stop.addEventListener('abort', () => resolve(), { once: true })), this.#remote.ended]);
    watcher.close();
    await this.#busy;
  }

  boxChanged(): void {
    this.#box = undefined;
    if (this.#treeId !== '') this.sync();
  }

  /** Files that are saved during a sync are synced after it, together. */
  sync(): void {
    if (this.#wanted) return;
    this.#wanted = true;
    this.#busy = this.#busy.then(async () => {
      this.#wanted = false;
      await this.#rounds([], false).catch((error: unknown) => this.#events.problem(error instanceof Error ? error.message : String(error)));
    });
  }

  get #file(): string {
    return join(this.#folder, '.svc', 'dev-box.json');
  }

  async #rounds(touched: string[], always: boolean): Promise<void> {
    const began = performance.now();
    const counts = { pushed: 0, pulled: 0, removed: 0, conflicts: [] as Conflict[] };
    for (let round = 0; round < MAX_ROUNDS; round++) {
      const [here, box] = [await this.#look(), this.#box ?? (await this.#lookAtBox())];
      // A side that lost everything was not emptied by its author.
      const base = this.#base.size > 3 && (here.size === 0 || box.size === 0) ? new Map<string, string>() : this.#base;
      const plan = rulesFirst(planSync({ base, here, box, skewMs: this.#skewMs }));
      if (isEmpty(plan)) {
        await this.#agree(new Map([...here].map(([path, facts]) => [path, markOf(facts)])));
        break;
      }
      touched.push(...(await this.#carryOut(plan, here, box)));
      // It may look like another folder by other rules.
      if (plan.areRules) this.#box = undefined;
      counts.pushed += plan.push.length;
      counts.pulled += plan.pull.length;
      counts.removed += plan.removeHere.length + plan.removeInBox.length;
      counts.conflicts.push(...plan.conflicts);
    }
    if (touched.length > 0) this.#events.synced({ ...counts, ms: Math.round(performance.now() - began) });
    if (always || (touched.length > 0 && this.#reload)) {
      const { head } = await this.#remote.ask({ do: 'serve', paths: touched }, 'served');
      this.#events.served({ well: head.well, ms: Math.round(performance.now() - began), paths: touched });
    }
  }

  /** Resolves with the paths that changed in the box. */
  async #carryOut(plan: Plan, here: Map<string, FileFacts>, box: Map<string, FileFacts>): Promise<string[]> {
    const toBox: { path: string; facts: FileFacts; from: string }[] = plan.push.flatMap((path) => entry(path, here.get(path), path));
    const toHere: { path: string; facts: FileFacts; from: string }[] = plan.pull.flatMap((path) => entry(path, box.get(path), path));
    for (const { path, kept, saved } of plan.conflicts) {
      const [mine, theirs] = [here.get(path), box.get(path)];
      if (kept === 'here') {
        toHere.push(...entry(saved, theirs, path));
        toBox.push(...entry(path, mine, path));
      } else {
        toBox.push(...entry(saved, mine, path));
        toHere.push(...entry(path, theirs, path));
      }
    }
    // First what is there is brought here, then the box changes: a copy that is saved is whole before the
    // original goes.
    const fetched: Write[] = [];
    for (const { path, facts, from } of toHere) {
      const { head, body } = await this.#remote.ask({ do: 'read', path: from }, 'content');
      if (head.sha256 !== facts.sha256) {
        this.#box = undefined; // it changed meanwhile: the next round
        continue;
      }
      await this.#applier.stage(facts.sha256, body);
      fetched.push({ path, sha256: facts.sha256, executable: facts.executable });
    }
    const known = (paths: readonly string[], tree: Map<string, FileFacts>): Record<string, string | null> =>
      Object.fromEntries(paths.map((path) => [path, markIn(tree, path)]));
    if (fetched.length + plan.removeHere.length > 0)
      await this.#applier.apply(fetched, plan.removeHere, known([...fetched.map(({ path }) => path), ...plan.removeHere], here));
    const writes: Write[] = [];
    // Each answer takes its time: what is under way is bounded by its size.
    let underWay: Promise<unknown>[] = [];
    let bytes = 0;
    for (const { path, facts, from } of toBox) {
      const content = await readFile(join(this.#folder, from)).catch(() => undefined);
      if (content === undefined || this.#hasChanged(content, facts)) continue; // likewise
      const staged = this.#remote.ask({ do: 'stage', sha256: facts.sha256 }, 'staged', content);
      staged.catch(() => undefined); // awaited below
      underWay.push(staged);
      writes.push({ path, sha256: facts.sha256, executable: facts.executable });
      bytes += content.length;
      if (bytes < MAX_UNDER_WAY) continue;
      await Promise.all(underWay);
      [underWay, bytes] = [[], 0];
    }
    if (writes.length + plan.removeInBox.length > 0) {
      const expected = known([...writes.map(({ path }) => path), ...plan.removeInBox], box);
      const [{ head }] = await Promise.all([this.#remote.ask({ do: 'apply', writes, removes: plan.removeInBox, expected }, 'applied'), ...underWay]);
      for (const { path, facts } of toBox) if (writes.some((one) => one.path === path)) box.set(path, facts);
      for (const path of plan.removeInBox) box.delete(path);
      // The other side changed meanwhile: scan again.
      if (head.changed.length > 0) this.#box = undefined;
    }
    return [...writes.map(({ path }) => path), ...plan.removeInBox, ...fetched.map(({ path }) => path)];
  }

  #hasChanged(content: Buffer, { sha256 }: FileFacts): boolean {
    return createHash('sha256').update(content).digest('hex') !== sha256;
  }

  async #look(): Promise<Map<string, FileFacts>> {
    try {
      return await this.#scanner.scan();
    } catch (error) {
      throw error instanceof TooMuch ? new CliError(error.message) : error;
    }
  }

  async #lookAtBox(): Promise<Map<string, FileFacts>> {
    const { head } = await this.#remote.ask({ do: 'scan' }, 'tree');
    this.#skewMs = Date.now() - head.now;
    this.#box = new Map(head.files);
    return this.#box;
  }

  /** Both sides are the same now. */
  async #agree(base: Map<string, string>): Promise<void> {
    if (sameMarks(base, this.#base)) return;
    this.#base = base;
    await mkdir(join(this.#folder, '.svc'), { recursive: true });
    await writeWhole(this.#file, JSON.stringify({ tree_id: this.#treeId, base: Object.fromEntries(base) }));
  }
}

function entry(path: string, facts: FileFacts | undefined, from: string): { path: string; facts: FileFacts; from: string }[] {
  return facts === undefined ? [] : [{ path, facts, from }];
}

function markIn(tree: Map<string, FileFacts>, path: string): string | null {
  const facts = tree.get(path);
  return facts === undefined ? null : markOf(facts);
}

function sameMarks(a: Base, b: Base): boolean {
  return a.size === b.size && [...a].every(([path, mark]) => b.get(path) === mark);
}

async function readAgreed(file: string): Promise<z.infer<typeof Agreed> | undefined> {
  const text = await readFile(file, 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  try {
    return Agreed.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}
