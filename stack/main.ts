// The stack's commands, run under the repository's own Node: up, down, status, logs, demo.
// stack/bootstrap.mjs is what people call.
import { parseArgs } from 'node:util';
import { checkSignIn } from './commands/check-sign-in.ts';
import { down } from './commands/down.ts';
import { logs } from './commands/logs.ts';
import { refresh } from './commands/refresh.ts';
import { rotate } from './commands/rotate-keys.ts';
import { status } from './commands/status.ts';
import { runSupervisor } from './commands/supervise.ts';
import { livingSupervisor, up } from './commands/up.ts';
import { watch } from './commands/watch.ts';
import { demo } from './demo/demo.ts';
import { baseUrl } from './environment.ts';
import { readSettings, type Settings } from './settings.ts';
import { toolLine } from './tool-line.ts';

const print = (line: string) => void process.stdout.write(`${line}\n`);

process.exitCode = await main(process.argv.slice(2)).catch((error: unknown) => {
  console.error(error instanceof Error ? (process.env.SVC_DEBUG ? error.stack : error.message) : error);
  return 1;
});

/** What needs the platform: it loads a good part of it, but only where that is up. */
async function beside(settings: Settings, work: () => Promise<void>): Promise<number> {
  if (!livingSupervisor(settings)) throw new Error('Nothing is up here. Run `npm run up` first, then this again.');
  await work();
  return 0;
}

/** Aborted by ctrl-C. */
function interrupted(): AbortSignal {
  const stop = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => stop.abort());
  return stop.signal;
}

/** As `up`, and then what to do first. */
async function upWithNext(settings: Settings): Promise<number> {
  const code = await up(settings, print);
  if (code === 0)
    print(`\nDashboard: ${baseUrl(settings)}\nThe command line tool, in every folder: ${toolLine()}\nSign in: svc login    Make an agent: svc init NAME`);
  return code;
}

async function main([command = 'help', ...rest]: string[]): Promise<number> {
  const settings = readSettings(process.env);
  const { values, positionals } = parseArgs({
    args: rest,
    allowPositionals: true,
    options: {
      json: { type: 'boolean', default: false },
      follow: { type: 'boolean', short: 'f', default: false },
      lines: { type: 'string', short: 'n', default: '100' },
      yes: { type: 'boolean', default: false },
      token: { type: 'string' },
      'no-machines': { type: 'boolean', default: false },
      to: { type: 'string' },
      keep: { type: 'string' },
      'without-database': { type: 'boolean', default: false },
    },
  });
  switch (command) {
    case 'up':
      return upWithNext(settings);
    case 'down':
      return down(settings, print);
    case 'status':
      return status(settings, values, print);
    case 'logs':
      return logs(settings, { part: positionals[0], follow: values.follow, lines: Number(values.lines) }, print, interrupted());
    case 'watch':
      return watch(settings, print, interrupted());
    case 'seed':
      return beside(settings, async () => (await import('./seed/seed.ts')).seed(settings, { machines: !values['no-machines'] }, print));
    case 'console':
      return beside(settings, async () => (await import('./console/console.ts')).openConsole(settings, print));
    case 'doctor':
      return (await import('./doctor/doctor.ts')).doctor(settings, values, print);
    case 'support-bundle':
      return (await import('./support/bundle.ts')).supportBundle(settings, print);
    case 'check-sign-in':
      return checkSignIn(settings, values.token, print);
    case 'refresh':
      return refresh(settings, print);
    case 'rotate-keys':
      return rotate(settings, print);
    case 'backup':
      return (await import('./commands/backup.ts')).backup(settings, { ...values, positionals }, print, interrupted());
    case 'restore':
      return (await import('./commands/restore.ts')).restore(settings, positionals, print, interrupted());
    case 'verify':
      return (await import('./commands/backup.ts')).verifyRunning(settings, print, interrupted());
    case 'demo':
      return demo(settings, print);
    case 'supervise':
      await runSupervisor(settings);
      return 0;
    default:
      print(
        'npm run demo | up | watch | down | status [-- --json] | logs [part] [-- -f -n 100] | console | seed [-- --no-machines] | refresh | rotate-keys | doctor [-- --json] | support-bundle | backup -- --to DIR | restore -- FROM | verify | check-sign-in [-- --token FILE] | test',
      );
      return command === 'help' ? 0 : 2;
  }
}
