// From nothing to an agent that answers: a clone of the deployment's snapshot where there is one, else a
// clone of the machine that has the SDK loaded, else boot; then health, card, warm-up, snapshot.
import { createReadStream } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Duplex } from 'node:stream';
import { isUnusable } from '../microvm/images/tools.ts';
import type { Machine, MachineSpec, MicroVmEngine } from '../microvm/port.ts';
import type { Identity } from '../guest/config.ts';
import type { Vault } from '#drivers/vault/port.ts';
import { parseJson } from '#drivers/runtime/lines.ts';
import { RuntimeError, type LogLine } from '#drivers/runtime/port.ts';
import { dropFolder } from '../resources/files.ts';
import { linkGuest, type GuestLink } from './guest-link.ts';
import type { Limits } from '../options.ts';
import { type InstanceRecord, versionOf } from './record.ts';
import type { Preloaded, Shape } from './preloaded.ts';
import { stopwatch } from '../stopwatch.ts';
import { fileStamp, type Templates } from '../resources/templates.ts';

export interface BringUpParts {
  engine: MicroVmEngine;
  templates: Templates;
  base(): string;
  limits: Limits;
  controlPlane: string | undefined;
  ca: string | undefined;
  layerPath(image: string): string;
  /** Of a layer that a preloaded machine can take. */
  layerArchive(image: string): Promise<string | undefined>;
  preloaded: Preloaded;
  vault: Vault;
  log(fields: Record<string, unknown>): void;
}

export interface BringUpInput {
  record: InstanceRecord;
  identity: Identity;
  /** The instance's folder. */
  dir: string;
  onLog(line: Omit<LogLine, 'seq'>): void;
  onEgress(stream: Duplex): void;
  onHealth(reason: string | undefined): void;
  onExit(machine: Machine, code: number): void;
  signal: AbortSignal;
}

export interface Running {
  machine: Machine;
  link: GuestLink;
}

/** A hook has 60 s, by the agent's own clock. */
const startupMs = 90_000;
/** After its startup an agent is well within so long, or is not deployed. */
const healthyWithinMs = 30_000;

/** Least memory in which kernel, Node and a bundle come up. */
const leastMemoryMib = 192;
export const memoryOf = (record: InstanceRecord): number => shapeOf(record.resources).memoryMib;
export const machineDir = (dir: string): string => join(dir, 'machine');

export function shapeOf(resources: InstanceRecord['resources']): Shape {
  const memoryMib = Math.max(leastMemoryMib, resources.memory_mib);
  const wanted = Math.ceil(resources.cpu_millis / 1_000);
  return { memoryMib, cpus: Math.max(1, Math.min(wanted, cpus().length)), scratchMib: Math.floor(memoryMib / 4) };
}

function specOf(record: InstanceRecord, dir: string, base: string, layer: string): MachineSpec {
  return { id: record.instance_id, dir: machineDir(dir), disks: { base, layer }, ...shapeOf(record.resources) };
}

export function link(
  parts: Pick<BringUpParts, 'engine' | 'controlPlane' | 'ca'>,
  input: Pick<BringUpInput, 'onLog' | 'onEgress' | 'onExit' | 'onHealth'>,
  machine: Machine,
): GuestLink {
  const { onLog, onEgress, onHealth } = input;
  const { controlPlane, ca, engine } = parts;
  return linkGuest(machine, {
    onLog,
    onEgress,
    onHealth,
    onExit: (code) => input.onExit(machine, code),
    controlPlane,
    ca,
    accelerator: () => engine.accelerator(),
  });
}

export async function bringUp(parts: BringUpParts, input: BringUpInput): Promise<Running & { card: unknown }> {
  const { record } = input;
  const layer = parts.layerPath(record.image);
  const base = parts.base();
  const spec = specOf(record, input.dir, base, layer);
  const shape = `${spec.memoryMib}:${spec.cpus}:${spec.scratchMib}`;
  const madeFrom = `${record.image}:${shape}:${await parts.engine.platform()}:${fileStamp(base)}:${await versionOf(input.identity, parts.vault)}`;
  await dropFolder(spec.dir);
  return parts.templates.exclusive(record.deployment_id, async () => {
    if (input.signal.aborted) throw new RuntimeError('cancelled', 'The start was cancelled.');
    const cloned = await clone(parts, input, spec, madeFrom);
    return cloned ?? start(parts, input, spec, madeFrom);
  });
}

async function clone(parts: BringUpParts, input: BringUpInput, spec: MachineSpec, madeFrom: string): Promise<(Running & { card: unknown }) | undefined> {
  const { record, identity, onLog } = input;
  // One that was made with other secrets holds them in its memory: it goes at once, not when another takes
  // its place.
  const template = await parts.templates.findOrDrop(record.deployment_id, madeFrom);
  if (template === undefined) return undefined;
  let machine: Machine | undefined;
  try {
    machine = await parts.engine.clone(template, { id: spec.id, dir: spec.dir, scratchMib: spec.scratchMib });
    const guest = link(parts, input, machine);
    // The snapshot holds the identity of the instance it was taken from: no request gets in before the new
    // one is there.
    await guest.control({ op: 'configure', identity }, 15_000);
    guest.attach();
    return { machine, link: guest, card: await readCard(guest) };
  } catch (error) {
    onLog({
      at: Date.now(),
      stream: 'system',
      text: `The snapshot could not be used (${error instanceof Error ? error.message : 'unknown'}); starting without it.`,
    });
    await machine?.kill();
    await parts.templates.drop(record.deployment_id);
    await dropFolder(spec.dir);
    return undefined;
  }
}

interface Begun {
  machine: Machine;
  from?: 'preloaded';
}

/**
 * A clone of the machine that has the SDK, with the layer's files in its memory; undefined where that cannot
 * be.
 */
async function unpacked(parts: BringUpParts, input: BringUpInput, spec: MachineSpec): Promise<Begun | undefined> {
  const archive = await parts.layerArchive(input.record.image);
  const template = archive === undefined ? undefined : await parts.preloaded.find(spec, input.signal);
  if (archive === undefined || template === undefined || input.signal.aborted) return undefined;
  let machine: Machine | undefined;
  try {
    machine = await parts.engine.clone(template, { id: spec.id, dir: spec.dir, scratchMib: spec.scratchMib });
    const code = await machine.exec('/bin/sh', ['-c', 'tar -xf - -C / --no-same-owner && chmod -R a+rX,go-w /app'], {
      user: 'root',
      stdin: createReadStream(archive),
    });
    if (code === 0) return { machine, from: 'preloaded' };
    parts.log({ msg: 'not_unpacked', instance_id: spec.id, code });
  } catch (error) {
    parts.log({ msg: 'not_unpacked', instance_id: spec.id, error: String(error) });
    if (machine === undefined && isUnusable(error)) void parts.preloaded.replace();
  }
  await machine?.kill();
  await dropFolder(spec.dir);
  return undefined;
}

async function start(parts: BringUpParts, input: BringUpInput, spec: MachineSpec, madeFrom: string): Promise<Running & { card: unknown }> {
  const { record, identity, signal } = input;
  const deadline = AbortSignal.any([signal, AbortSignal.timeout(parts.limits.startTimeoutMs)]);
  const lap = stopwatch();
  const { machine, from }: Begun = (await unpacked(parts, input, spec)) ?? { machine: await parts.engine.boot(spec) };
  lap(from === undefined ? 'boot_ms' : 'clone_ms');
  const gone = machine.stopped.then(({ reason }): never => {
    throw new RuntimeError('start_failed', `The agent's machine ended while starting: ${reason}`);
  });
  gone.catch(() => undefined);
  const over = new Promise<never>((_resolve, reject) => {
    const end = (): void => reject(tooLate(signal, parts.limits.startTimeoutMs));
    if (deadline.aborted) end();
    else deadline.addEventListener('abort', end, { once: true });
  });
  over.catch(() => undefined);
  try {
    const guest = link(parts, input, machine);
    const ready = async (): Promise<unknown> => {
      await guest.launch(identity, deadline, from);
      lap('launch_ms');
      await answers(guest, deadline);
      const card = await readCard(guest);
      lap('health_ms');
      await warmUp(guest, identity.api_key, parts.limits.warmUpCalls, deadline);
      lap('warm_up_ms');
      return card;
    };
    const card = await Promise.race([ready(), gone, over]);
    await parts.templates.save(record.deployment_id, madeFrom, machine);
    // After the snapshot: what the hook opens, no clone could use.
    await Promise.race([verify(guest, asCaller(identity.api_key), deadline), gone, over]);
    lap('startup_ms');
    parts.log({ msg: 'instance_started', instance_id: record.instance_id, ...lap('snapshot_ms') });
    return { machine, link: guest, card };
  } catch (error) {
    await machine.kill();
    throw error;
  }
}

function tooLate(signal: AbortSignal, ms: number): RuntimeError {
  if (signal.aborted) return new RuntimeError('cancelled', 'The start was cancelled.');
  return new RuntimeError('unhealthy', `The agent was not healthy within ${Math.round(ms / 1000)} s of its start.`);
}

/** Well or not: its author's health() may need what startup() makes. */
async function answers(guest: GuestLink, deadline: AbortSignal): Promise<void> {
  while (!deadline.aborted && !(await guest.request('GET', '/healthz').catch(() => undefined))) await delay(100);
}

/**
 * Waits until the agent takes calls: its startup hook has run, and health() returned true. @throws
 * RuntimeError startup_failed, unhealthy
 */
async function verify(guest: GuestLink, headers: Record<string, string>, deadline: AbortSignal): Promise<void> {
  await guest.startup(startupMs);
  const until = performance.now() + healthyWithinMs;
  for (;;) {
    const answer = await guest.request('GET', '/healthz', { headers }).catch(() => undefined);
    if (answer?.status === 200 || deadline.aborted) return;
    if (performance.now() > until) throw unwell(parseJson(answer?.body ?? ''));
    await delay(250);
  }
}

function unwell(body: unknown): RuntimeError {
  const reason = typeof body === 'object' && body !== null && 'reason' in body && typeof body.reason === 'string' ? `: ${body.reason.slice(0, 500)}` : '';
  const what = `The agent started, but its health() did not answer true within ${healthyWithinMs / 1000} s${reason}.`;
  return new RuntimeError('unhealthy', `${what} Fix health(), or what it checks, and deploy again.`);
}

async function readCard(guest: GuestLink): Promise<unknown> {
  const answer = await guest.request('GET', '/.well-known/agent-card');
  const card = answer.status === 200 ? parseJson(answer.body) : undefined;
  if (card === undefined) throw new RuntimeError('start_failed', `The agent serves no card: GET /.well-known/agent-card answered ${answer.status}.`);
  return card;
}

/** Only calls that run none of the author's skills; they decide how fast a wake is. */
async function warmUp(guest: GuestLink, apiKey: string, calls: number, deadline: AbortSignal): Promise<void> {
  const caller = { headers: asCaller(apiKey), body: '{}' };
  const ways = [
    // An unknown skill exercises the path of a call up to the handler, an unknown question that of an answer.
    () => guest.request('POST', '/invoke/svc-warm-up', caller),
    () => guest.request('GET', '/.well-known/agent-card'),
    () => guest.request('POST', '/answers/svc-warm-up', caller),
    () => guest.request('GET', '/healthz'),
  ];
  for (let n = 0; n < calls && !deadline.aborted; n++) await ways[n % ways.length]?.().catch(() => undefined);
}

/**
 * Has the agent load what it serves MCP with (seconds under emulation); done when it is idle for the first
 * time, not while a deploy waits.
 */
export async function prime(guest: GuestLink, apiKey: string): Promise<void> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} });
  await guest.request('POST', '/mcp', { headers: asCaller(apiKey), body }).catch(() => undefined);
}

const asCaller = (apiKey: string): Record<string, string> => ({
  authorization: `Bearer ${apiKey}`,
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
});
