// Whether the parts run, what machine they are on, and how old the images of agents' machines are.
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Finding } from '#contract/platform/doctor.ts';
import { reasonOf, reporter } from '#core/platform/doctor/finding.ts';
import { describeResult, readResult } from '../backup/last-result.ts';
import { describeImage, guestImages } from '../guest-images.ts';
import { readText } from '../files.ts';
import { isAlive } from '../process.ts';
import { isFree, portTaken } from '../ports.ts';
import { recordedParts } from '../records.ts';
import { places, type Settings } from '../settings.ts';
import { judgeMachine, machineFacts } from '../setup/machine.mjs';
import { livingSupervisor } from '../commands/up.ts';
import { postgresServer } from '../postgres-server.ts';

const machine = reporter('machine');
const parts = reporter('parts');
const key = reporter('key');
const backup = reporter('backup');

const OLD_DAYS = 30;
/** A nightly one that is missed once is tried again each hour. */
const LATE_BACKUP_MS = 2 * 86_400_000;
const KEY_LINE = /^[A-Za-z0-9_-]{43}$/;

export async function lookAtMachine({ inherited, repository, cacheDir }: Settings): Promise<Finding[]> {
  const { problems, notes } = judgeMachine(machineFacts(inherited, { repository, cache: cacheDir, steps: [] }));
  const images = await guestImages(cacheDir);
  const judged: Finding[] = [
    ...problems.map((text) => ({ part: 'machine', state: 'problem', text, remedy: null }) satisfies Finding),
    ...notes.map((text) => ({ part: 'machine', state: 'warning', text, remedy: null }) satisfies Finding),
  ];
  return [
    ...(judged.length > 0 ? judged : [machine.ok('The machine has what the platform needs.')]),
    ...(images.length === 0 ? [machine.problem('Agents’ machines have no kernel and base image here.', 'Run: npm run setup')] : []),
    ...images.map((image) =>
      image.age_days > OLD_DAYS
        ? machine.warning(`The ${image.part} of agents’ machines is ${image.age_days} days old: fixes of security notices are missing.`, 'Run: npm run refresh')
        : machine.ok(`${describeImage(image)}.`),
    ),
  ];
}

export async function lookAtParts(settings: Settings): Promise<Finding[]> {
  const { run } = places(settings.stateDir);
  const records = existsSync(run) ? recordedParts(run) : [];
  const running = records.filter(({ process: one }) => one !== undefined && isAlive(one));
  if (livingSupervisor(settings) === undefined) {
    if (running.length > 0)
      return [parts.problem(`${running.map(({ part }) => part).join(', ')} run without a supervisor: what ends is not started again.`, 'Run: npm run up')];
    return [parts.problem(`Nothing is up with the state folder ${settings.stateDir}.`, 'Run: npm run up'), ...(await lookAtPort(settings))];
  }
  const unwell = records.filter(({ state }) => !['healthy', 'done', 'skipped'].includes(state));
  return unwell.length === 0
    ? [parts.ok(`All ${records.length} parts are up.`)]
    : unwell.map(({ part, state, note }) => parts.problem(`${part} is ${state}${note === undefined ? '' : `: ${note}`}.`, `Read why: npm run logs ${part}`));
}

async function lookAtPort({ SVC_PORT: port }: Settings): Promise<Finding[]> {
  return (await isFree(port)) ? [] : [parts.problem(portTaken(port, 'SVC_PORT'), 'The API cannot start meanwhile.')];
}

export function lookAtKeyFile({ stateDir }: Settings): Finding[] {
  const path = join(places(stateDir).secrets, 'platform.key');
  const text = readable(path);
  if (text instanceof Error) return [key.problem(`${path} cannot be read: ${reasonOf(text)}.`, 'Run this as the user that the platform runs as.')];
  if (text === undefined)
    return existsSync(join(places(stateDir).postgres, 'data'))
      ? [
          key.problem(
            `The key file ${path} is missing: nothing that is stored encrypted can be read.`,
            'Put it back from a backup before you start the platform.',
          ),
        ]
      : [];
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  if (lines.length === 0 || !lines.every((line) => KEY_LINE.test(line.trim())))
    return [key.problem(`The key file ${path} is damaged: every line is one key, 43 letters.`, 'Put it back from a backup.')];
  return (statSync(path).mode & 0o077) === 0 ? [] : [key.problem(`Others on this machine may read the key file ${path}.`, `Run: chmod 600 ${path}`)];
}

/** Only where backups are wanted: one was taken, or is to be taken each night. */
export function lookAtBackup({ stateDir, SVC_BACKUP_TO: nightly }: Settings, now = Date.now()): Finding[] {
  const result = readResult(stateDir);
  if (result?.error != null)
    return [backup.problem(describeResult(result), 'Remove its cause, then: npm run backup. See deploy/runbooks/alerts/SvcBackupFails.md')];
  if (nightly !== undefined && now - Date.parse(result?.last?.at ?? '') > LATE_BACKUP_MS)
    return [backup.problem(`No backup was taken for two days. ${describeResult(result)}.`, 'Read why: npm run logs backup')];
  return [backup.ok(`${describeResult(result)}.`)];
}

/** Whether the program for the cluster on the disk is here. */
export function lookAtCluster({ stateDir, cacheDir, DATABASE_URL: url }: Settings): Finding[] {
  const data = join(places(stateDir).postgres, 'data');
  if (url !== undefined || !existsSync(data)) return [];
  try {
    postgresServer({ data, cacheDir });
    return [];
  } catch (error) {
    return [{ part: 'database', state: 'problem', text: reasonOf(error), remedy: null }];
  }
}

function readable(path: string): string | undefined | Error {
  try {
    return readText(path);
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}
