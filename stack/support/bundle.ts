// `npm run support-bundle`: one file that says how an installation is, for somebody who helps. It holds no
// secrets and no contents of calls.
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { availableParallelism, freemem, loadavg, release, tmpdir, totalmem, uptime } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { create } from 'tar';
import { reportOf } from '#core/platform/doctor/examine.ts';
import { VERSION } from '#version.ts';
import { status } from '../commands/status.ts';
import { findingsOf } from '../doctor/doctor.ts';
import { currentSettings, OURS } from '../doctor/settings.ts';
import { tail } from '../logs.ts';
import { places, type Settings } from '../settings.ts';
import { isSecretName, redactor } from './redact.ts';

/** Of each part, the last ones. */
const LOG_LINES = 2_000;

/** Answers 0, and prints the file's path and what is in it. */
export async function supportBundle(here: Settings, print: (line: string) => void, now = new Date()): Promise<number> {
  const { settings, env } = currentSettings(here);
  const redact = redactor(env, places(settings.stateDir).secrets);
  const name = `svc-support-${now.toISOString().slice(0, 19).replaceAll(':', '')}`;
  const parent = await mkdtemp(join(tmpdir(), 'svc-support-'));
  const files: Record<string, string> = {
    'about.json': JSON.stringify(about(settings), null, 2),
    'doctor.json': JSON.stringify(reportOf(await findingsOf(here)), null, 2),
    'status.json': await textOf((line) => status(settings, { json: true }, line)),
    'settings.txt': settingsText(env),
    ...(await logsOf(settings)),
  };
  try {
    for (const [file, text] of Object.entries(files)) await writeFile(join(parent, file), redact(text));
    const path = resolve(`${name}.tar.gz`);
    await create({ gzip: true, cwd: parent, file: path, prefix: name, portable: true }, Object.keys(files));
    print(`Wrote ${path}: ${Object.keys(files).join(', ')}.`);
    print('Secrets were taken out. Log lines name accounts and agents: read it before you hand it out.');
    return 0;
  } finally {
    await rm(parent, { recursive: true });
  }
}

function about({ stateDir, cacheDir }: Settings): Record<string, unknown> {
  return {
    version: VERSION,
    node: process.versions.node,
    kernel: release(),
    processors: availableParallelism(),
    memory_bytes: totalmem(),
    free_memory_bytes: freemem(),
    load: loadavg(),
    up_seconds: Math.round(uptime()),
    state_folder: stateDir,
    cache_folder: cacheDir,
  };
}

/** One line each; of secrets only that they are set. */
function settingsText(env: Readonly<Record<string, string>>): string {
  return Object.entries(env)
    .filter(([name]) => OURS.test(name))
    .toSorted(([a], [b]) => a.localeCompare(b, 'en'))
    .map(([name, value]) => `${name}=${isSecretName(name) ? '(set)' : value}\n`)
    .join('');
}

async function logsOf({ stateDir }: Settings): Promise<Record<string, string>> {
  const { logs } = places(stateDir);
  const names = (await readdir(logs).catch(() => [])).filter((name) => name.endsWith('.log'));
  return Object.fromEntries(names.map((name) => [basename(name), `${tail(join(logs, name), LOG_LINES).lines.join('\n')}\n`]));
}

async function textOf(work: (print: (line: string) => void) => Promise<unknown>): Promise<string> {
  const lines: string[] = [];
  await work((line) => void lines.push(line));
  return lines.join('\n');
}
