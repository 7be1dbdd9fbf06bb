// What is wrong with an installation, and what to do about it.
import { z } from 'zod';
import { svcGroup } from '../kit.ts';

/** In the order in which they are looked at. */
const DOCTOR_PARTS = ['settings', 'machine', 'parts', 'address', 'clock', 'database', 'key', 'engine', 'host', 'storage', 'disk', 'mail', 'domains', 'sign-in', 'backup'] as const; // prettier-ignore

const FINDING_STATES = ['ok', 'warning', 'problem'] as const;

export const Finding = z
  .strictObject({
    part: z.enum(DOCTOR_PARTS),
    state: z.enum(FINDING_STATES).meta({ description: 'problem: something does not work. warning: it works, and will not for long or not for everyone.' }),
    text: z.string().meta({ description: 'What is so, as a sentence.' }),
    remedy: z.string().nullable().meta({ description: 'What to do; null: nothing.' }),
  })
  .meta({ id: 'DoctorFinding' });
export type Finding = z.infer<typeof Finding>;

export const DoctorOut = z
  .strictObject({
    version: z.string().meta({ description: 'Of the process that looked.' }),
    problems: z.int().min(0),
    warnings: z.int().min(0),
    findings: z.array(Finding),
  })
  .meta({ id: 'DoctorOut' });

export const doctor = svcGroup({
  get: {
    at: 'GET /v1/operator/doctor',
    summary: 'What is wrong with this installation, and what to do',
    scope: 'operator',
    limit: 'check',
    out: DoctorOut,
    errors: [401, 403, 429],
  },
});
