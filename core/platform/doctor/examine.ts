// Looks at everything that a process with the database and the drivers can see. One part that hangs or throws
// holds up no other.
import { setTimeout as delay } from 'node:timers/promises';
import type { z } from 'zod';
import type { DoctorOut, Finding } from '#contract/platform/doctor.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { requireOperator } from '../../kernel/policy.ts';
import { VERSION } from '#version.ts';
import { lookAtAddresses } from './address.ts';
import { lookAtDatabase, lookAtKey } from './database.ts';
import { lookAtEngine } from './engine.ts';
import { type PartName, reasonOf, reporter } from './finding.ts';
import { lookAtDisk, lookAtHost, lookAtStorage } from './host.ts';
import { lookAtDomains, lookAtMail } from './names.ts';

type Report = z.infer<typeof DoctorOut>;

const PATIENCE_MS = 20_000;

const LOOKS: readonly [PartName, (ctx: Ctx) => Promise<Finding[]>][] = [
  ['address', lookAtAddresses],
  ['database', lookAtDatabase],
  ['key', lookAtKey],
  ['engine', lookAtEngine],
  ['host', lookAtHost],
  ['storage', lookAtStorage],
  ['disk', lookAtDisk],
  ['mail', lookAtMail],
  ['domains', lookAtDomains],
];

export async function examine(ctx: Ctx): Promise<Finding[]> {
  const all = await Promise.all(LOOKS.map(([part, look]) => bounded(part, look(ctx))));
  return all.flat();
}

export function reportOf(findings: Finding[]): Report {
  const count = (state: Finding['state']): number => findings.filter((one) => one.state === state).length;
  return { version: VERSION, problems: count('problem'), warnings: count('warning'), findings };
}

export async function readDoctor(ctx: Ctx): Promise<Report> {
  requireOperator(ctx, 'doctor.read');
  return reportOf(await examine(ctx));
}

export async function bounded(part: PartName, look: Promise<Finding[]>): Promise<Finding[]> {
  const { problem } = reporter(part);
  const late = new AbortController();
  const failed = look.catch((error: unknown) => [problem(`This could not be looked at: ${reasonOf(error)}.`, `Read the log: npm run logs`)]);
  const tooLate = delay(PATIENCE_MS, undefined, { signal: late.signal, ref: false }).then(
    () => [problem(`This gave no answer within ${PATIENCE_MS / 1000} s.`, 'Look at its log, and at the load of the machine.')],
    () => [],
  );
  return Promise.race([failed, tooLate]).finally(() => late.abort());
}
