// What the scenes of a fixture share: who plays, what they noted for the manifest, and patience.
import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Made } from './installation.ts';
import type { Manifest } from './manifest.ts';

/** What the upgrade test must find again. */
type Notes = Pick<Manifest, 'waits' | 'gate' | 'running' | 'schedules' | 'secrets' | 'repositories'>;

export interface Play extends Made {
  notes: Notes;
}

/** Until there is something; throws with the last reason in time. */
export async function eventually<T>(what: string, look: () => Promise<T | undefined>, { forMs = 300_000, everyMs = 300 } = {}): Promise<T> {
  let why: unknown = 'not there';
  for (const end = Date.now() + forMs; ;) {
    try {
      const value = await look();
      if (value !== undefined) return value;
    } catch (error) {
      why = error;
    }
    if (Date.now() > end) throw new Error(`${what}: not within ${forMs / 1000} s`, { cause: why });
    await sleep(everyMs);
  }
}

/** The value where `is` holds. */
export const when = <T>(value: T, is: boolean): T | undefined => (is ? value : undefined);

/** A run is started and followed until its state is one of these. */
export async function ran(
  play: Play,
  agent: string,
  skill: string,
  body: Record<string, unknown>,
  states = ['succeeded'],
  as = play.people.ada,
): Promise<string> {
  const { run_id } = await as.api.agents.startRun({ params: { name: agent, skill_name: skill }, body });
  const seen = await eventually(`${agent}.${skill}`, async () => {
    const run: unknown = await (await as.api.agents.run({ params: { name: agent, run_id } })).json();
    const { state, error } = Object(run) as { state?: string; error?: unknown };
    return when({ state: state ?? '', error }, ['succeeded', 'failed', 'cancelled', ...states].includes(state ?? ''));
  });
  if (!states.includes(seen.state)) throw new Error(`${agent}.${skill} is ${seen.state}: ${JSON.stringify(seen.error)}`);
  return run_id;
}

/** A job of the person has ended; its state. */
export async function jobEnded(play: Play, job_id: string, as = play.people.ada): Promise<string> {
  return eventually(`job ${job_id}`, async () => {
    const job = await as.api.workLedger.get({ params: { job_id } });
    return job.ended_at === null ? undefined : job.state;
  });
}

const run = promisify(execFile);

/** git in a folder, with nobody's settings. */
export async function git(folder: string, ...args: string[]): Promise<string> {
  await mkdir(folder, { recursive: true });
  const env = { PATH: process.env.PATH ?? '', HOME: folder, GIT_CONFIG_NOSYSTEM: '1', GIT_TERMINAL_PROMPT: '0' };
  const who = ['-c', 'user.name=Ada', '-c', 'user.email=ada@svc.local'];
  return (await run('git', [...who, ...args], { cwd: folder, env })).stdout.trim();
}

export async function writeFiles(folder: string, files: Record<string, string>): Promise<void> {
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), content);
  }
}
