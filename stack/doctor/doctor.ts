// `npm run doctor`: what is wrong with this installation, and what to do. It changes nothing, and works while
// nothing is up.
import { join } from 'node:path';
import { styleText } from 'node:util';
import { createLogger } from '#api/http/log.ts';
import { openContext } from '#api/context.ts';
import { readEnvironment } from '#api/environment.ts';
import type { Finding } from '#contract/platform/doctor.ts';
import { bounded, examine, reportOf } from '#core/platform/doctor/examine.ts';
import { lookAtKey } from '#core/platform/doctor/database.ts';
import { reasonOf, reporter } from '#core/platform/doctor/finding.ts';
import { createPool } from '#db/pool.ts';
import { checkProvider } from '#drivers/idp/check.ts';
import { openKeyFile } from '#drivers/vault/key-file.ts';
import { countOf } from '../backup/report.ts';
import { baseUrl, partEnvironment } from '../environment.ts';
import { lastAddresses } from '../parts/all.ts';
import { runningDatabaseUrl } from '../parts/postgres.ts';
import { places, type Settings } from '../settings.ts';
import { providerSettings } from '../commands/check-sign-in.ts';
import { lookAtConnection } from './connection.ts';
import { lookAtBackup, lookAtCluster, lookAtKeyFile, lookAtMachine, lookAtParts } from './parts.ts';
import { currentSettings, lookAtSettings } from './settings.ts';

/** Answers 1 where something does not work. */
export async function doctor(here: Settings, { json }: { json: boolean }, print: (line: string) => void): Promise<number> {
  const report = reportOf(await findingsOf(here));
  if (json) print(JSON.stringify(report, null, 2));
  else {
    for (const finding of report.findings) print(lineOf(finding));
    print(summaryOf(report));
  }
  return report.problems > 0 ? 1 : 0;
}

export async function findingsOf(here: Settings): Promise<Finding[]> {
  const { settings, env, findings } = currentSettings(here);
  const outside = [
    ...findings,
    ...(await bounded('settings', lookAtSettings(env))),
    ...(await bounded('machine', lookAtMachine(settings))),
    ...(await bounded('parts', lookAtParts(settings))),
    ...lookAtCluster(settings),
    ...lookAtKeyFile(settings),
    ...lookAtBackup(settings),
    ...(await bounded('sign-in', lookAtSignIn(settings))),
  ];
  const inside = await lookInside(settings, outside);
  return [...outside, ...inside];
}

/** What needs the database and the key; where one of them is missing, that has been said. */
async function lookInside(settings: Settings, before: readonly Finding[]): Promise<Finding[]> {
  const url = databaseUrl(settings);
  if (url === undefined) return [];
  const unreachable = await lookAtConnection(url, settings.DATABASE_URL === undefined);
  const key = before.some(({ part, state, text }) => part === 'key' && state === 'problem' && !text.startsWith('Others'));
  if (unreachable.length > 0 || key) return unreachable;
  const wrongKey = await lookAtOwnKey(settings, url);
  if (wrongKey.length > 0) return wrongKey;
  const env = partEnvironment(settings, { ...lastAddresses(settings), databaseUrl: url });
  try {
    const { ctx, close } = await openContext(readEnvironment(env), createLogger('silent'));
    return await examine(ctx).finally(close);
  } catch (error) {
    return [reporter('parts').problem(`The API cannot start with these settings: ${reasonOf(error)}.`, 'Correct what it names, then: npm run up')];
  }
}

/** Empty: it is the key of the database. With another one nothing else can be opened. */
async function lookAtOwnKey({ stateDir }: Settings, url: string): Promise<Finding[]> {
  const db = createPool({ connectionString: url, max: 1, applicationName: 'svc-doctor' });
  try {
    const vault = await openKeyFile(join(places(stateDir).secrets, 'platform.key'));
    return (await lookAtKey({ db, drivers: { vault } })).filter(({ state }) => state === 'problem');
  } catch {
    // A database without our tables, or no key file yet: what comes next says so.
    return [];
  } finally {
    await db.destroy();
  }
}

function databaseUrl(settings: Settings): string | undefined {
  try {
    return runningDatabaseUrl(settings);
  } catch {
    // Our own server is down: the parts say so.
    return undefined;
  }
}

async function lookAtSignIn(settings: Settings): Promise<Finding[]> {
  const { OIDC_ISSUER: issuer } = settings;
  if (issuer === undefined || issuer === `${baseUrl(settings)}/idp`) return [];
  const { ok, problem } = reporter('sign-in');
  const all: Finding[] = [];
  for await (const { ok: good, text } of checkProvider(providerSettings(settings, issuer)))
    all.push(good ? ok(text) : problem(text, 'See docs/identity-providers.md, and npm run check-sign-in.'));
  return all;
}

const MARKS = { ok: '✓', warning: '!', problem: '✗' } as const;
const COLOURS = { ok: 'green', warning: 'yellow', problem: 'red' } as const;

function lineOf({ part, state, text, remedy }: Finding): string {
  const head = `${styleText(COLOURS[state], MARKS[state])} ${part.padEnd(9)} ${text}`;
  return remedy === null ? head : `${head}\n${' '.repeat(12)}→ ${remedy}`;
}

function summaryOf({ problems, warnings }: { problems: number; warnings: number }): string {
  if (problems === 0 && warnings === 0) return '\nNothing is wrong.';
  return `\n${countOf(problems, 'problem')}, ${countOf(warnings, 'warning')}.`;
}
