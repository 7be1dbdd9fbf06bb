// `up`: starts the supervisor unless it runs, and shows how the parts come up.
import type { ChildProcess } from 'node:child_process';
import { createHash } from 'node:crypto';
import { closeSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { isDiskFullText, lacksRoom } from '#drivers/room.ts';
import { insecureAddress } from '#contract/wire/secure-context.ts';
import { halfRestored } from '../backup/half.ts';
import { baseUrl } from '../environment.ts';
import { composeHint } from '../compose-hint.ts';
import { EMULATED, isEmulated } from '../kvm.ts';
import { answersHttp } from '../health.ts';
import { openLog, readFrom, rotate, tail } from '../logs.ts';
import { isFree, portTaken } from '../ports.ts';
import { isAlive } from '../process.ts';
import { start } from '../program.ts';
import { readRecord, readSupervisor, type PartRecord, type SupervisorRecord } from '../records.ts';
import { places, type Settings } from '../settings.ts';
import { advice } from '../setup/programs.mjs';
import { describePart } from './describe.ts';

const deadline = 300_000;
/** A part that failed this often will not come up without help. */
const hopeless = 4;
/**
 * Milliseconds for which a part may not be well: a server that is not ours, or a part of ours on a machine
 * that has much to do.
 */
const patience = 20_000;

export function supervisorLock(settings: Settings): string {
  return `supervisor ${settings.stateDir}`;
}

/** Equal for runs with the same settings. */
export function fingerprint(settings: Settings): string {
  return createHash('sha256')
    .update(JSON.stringify({ ...settings, inherited: undefined }))
    .digest('base64url');
}

/** The supervisor's record if it is alive. */
export function livingSupervisor(settings: Settings): SupervisorRecord | undefined {
  const record = readSupervisor(places(settings.stateDir).run);
  return record && isAlive(record.process) ? record : undefined;
}

/** Resolves with 0 when every part is well, else with 1 after saying which is not and why. */
export async function up(settings: Settings, print: (line: string) => void): Promise<number> {
  const begun = performance.now();
  const { run, logs, hostSocket } = places(settings.stateDir);
  mkdirSync(run, { recursive: true, mode: 0o700 });
  mkdirSync(logs, { recursive: true, mode: 0o700 });
  const refusal = halfRestored(settings.stateDir) ?? lacksRoom(settings.stateDir);
  if (refusal !== undefined) {
    print(`Nothing was started. ${refusal}`);
    return 1;
  }
  const before = livingSupervisor(settings);
  if (before && before.settings !== fingerprint(settings)) {
    print('It is up already, with other settings. Run `npm run down` first, then this again.');
    return 1;
  }
  let child: ChildProcess | undefined;
  const log = join(logs, 'supervisor.log');
  const logged = tail(log, 0).offset;
  if (!before) {
    const problem = await portProblem(settings, run);
    if (problem !== undefined) {
      print(problem);
      return 1;
    }
    const hint = await composeHint(settings);
    if (hint !== undefined) print(hint);
    child = await startSupervisor(settings, logs);
  }
  let seen = false;
  const shown = new Map<string, string>();
  const unwellSince = new Map<string, number>();
  while (performance.now() - begun < deadline) {
    const supervisor = livingSupervisor(settings);
    const records = (supervisor?.parts ?? []).flatMap((name) => readRecord(run, name) ?? []);
    for (const record of records) {
      if (shown.get(record.part) === record.state || record.state === 'waiting') continue;
      shown.set(record.part, record.state);
      if (record.state !== 'starting') print(describePart(record));
    }
    if (supervisor && records.length > 0 && records.length === supervisor.parts.length && records.every(isWell)) {
      if (records.some(({ part, state }) => part === 'api' && state === 'healthy')) {
        // Running parts are of the code they were started from: a migration pulled since then is missing in
        // their database.
        const unready = await answersHttp({ port: settings.SVC_PORT, path: '/readyz' }).then(
          () => false,
          () => true,
        );
        if (unready && before) {
          print('The parts run, but the API is not ready: most likely the code is newer than they are. Run `npm run down`, then this again.');
          return 1;
        }
        if (unready) {
          await sleep(250);
          continue;
        }
      }
      print(`up in ${((performance.now() - begun) / 1000).toFixed(1)} s`);
      if (records.some(({ part }) => part === 'host') && (await isEmulated(hostSocket))) print(EMULATED);
      const insecure = insecureAddress(baseUrl(settings));
      if (insecure !== undefined) print(insecure);
      return 0;
    }
    for (const { part, state } of records) {
      if (state !== 'unhealthy') unwellSince.delete(part);
      else if (!unwellSince.has(part)) unwellSince.set(part, performance.now());
    }
    const failed =
      records.find(({ restarts, state }) => restarts >= hopeless && state === 'restarting') ??
      records.find(({ part }) => performance.now() - (unwellSince.get(part) ?? Infinity) > patience);
    if (failed) return complain(failed, logs, print);
    seen ||= supervisor !== undefined;
    // A child that ended with 0 found another supervisor at work.
    if (!supervisor && (seen || child?.exitCode)) {
      const logLines = readFrom(log, logged).bytes.toString('utf8').trim().split('\n');
      print(`Nothing was started.${advice(logLines.filter(isDiskFullText))} ${logLines.slice(-5).join('\n')}`.trimEnd());
      return 1;
    }
    await sleep(50);
  }
  print(`Not everything is well after ${deadline / 1000} s; \`npm run status\` shows what, \`npm run logs\` why.`);
  return 1;
}

function isWell({ state }: PartRecord): boolean {
  return state === 'healthy' || state === 'done' || state === 'skipped';
}

async function startSupervisor(settings: Settings, logs: string): Promise<ChildProcess> {
  const log = join(logs, 'supervisor.log');
  rotate(log);
  const handle = openLog(log);
  const main = fileURLToPath(new URL('../main.ts', import.meta.url));
  const env = { ...settings.inherited, SVC_STATE_DIR: settings.stateDir, SVC_CACHE_DIR: settings.cacheDir };
  const program = { command: process.execPath, args: ['--disable-warning=ExperimentalWarning', main, 'supervise'], cwd: settings.repository, env };
  const child = await start(program, ['ignore', handle, handle]).finally(() => closeSync(handle));
  child.unref();
  return child;
}

/** The one port that everything else hangs on is looked at before anything is started. */
async function portProblem(settings: Settings, run: string): Promise<string | undefined> {
  const api = readRecord(run, 'api')?.process;
  if ((api && isAlive(api)) || (await isFree(settings.SVC_PORT))) return undefined;
  return portTaken(settings.SVC_PORT, 'SVC_PORT');
}

function complain(failed: PartRecord, logs: string, print: (line: string) => void): number {
  const { lines } = tail(join(logs, `${failed.part}.log`), 15);
  print(`${failed.part} does not come up: ${failed.note ?? 'no reason given'}${advice([failed.note ?? '', ...lines].filter(isDiskFullText))}`);
  for (const line of lines) print(`  ${line}`);
  print(`It is tried again and again. \`npm run logs ${failed.part}\` shows more; \`npm run down\` stops everything.`);
  return 1;
}
