// monitor_alert: checks an address or a value by the calendar, and sends changes to a webhook.
import { z } from 'zod';
import { Cron } from '#contract/conversation/schedules.ts';
import { TimeZone } from '#contract/wire/time-zone.ts';
import { parsedInputs, refuseInput } from '../inputs.ts';
import { projectOf, secretSteps } from '../project.ts';
import type { Recipe } from '../recipe.ts';
import { hostsOf, PublicAddress, webhookHost, webhookOf } from '../webhook.ts';

const bound = z.number().min(-1e15).max(1e15).optional();
const inputs = z.object({
  title: z.string().trim().min(1).max(120).default('Monitor').describe('As alerts name it.'),
  url: PublicAddress.describe('What is checked, with GET.'),
  value_at: z
    .string()
    .max(200)
    .regex(/^[^.\s]+(?:\.[^.\s]+)*$/, 'write names with dots between, such as data.0.price')
    .optional()
    .describe('Place of a number in the JSON answer; absent: only whether it answers.'),
  min: bound.describe('Below it there is an alert.'),
  max: bound.describe('Above it there is an alert.'),
  max_seconds: z.int().min(1).max(30).default(10).describe('A slower answer counts as none.'),
  alert_after: z.int().min(1).max(20).default(1).describe('Failed checks in a row before an alert.'),
  cron: Cron.default('*/10 * * * *').describe('When it is checked: minute, hour, day of month, month, day of week.'),
  time_zone: TimeZone.default('UTC').describe('Of the times in cron, by its IANA name.'),
  webhook_host: webhookHost,
});

export const monitorAlert: Recipe = {
  recipe: 'monitor_alert',
  title: 'Monitor and alert',
  description: 'Checks an address or a value in its answer against bounds, remembers the state, and alerts when it changes.',
  words: [
    'monitor',
    'watch',
    'alert',
    'uptime',
    'threshold',
    'check',
    'warn',
    'status',
    'health',
    'website',
    'below',
    'above',
    'reachable',
    'drops',
    'slow',
    'down',
    'notify',
  ],
  inputs,
  async write(_ctx, brief) {
    const { cron, time_zone, webhook_host, value_at, min, max, ...rest } = parsedInputs(inputs, brief.inputs);
    if (value_at === undefined && (min !== undefined || max !== undefined))
      refuseInput(['value_at'], 'is missing: name the place of the number that min and max are for');
    if (min !== undefined && max !== undefined && min > max) refuseInput(['min'], 'must not be above max');
    const webhook = webhookOf(brief.integrations, webhook_host);
    const hosts = hostsOf([rest.url]);
    const files = await projectOf({
      brief,
      folder: import.meta.dirname,
      className: 'MonitorAlert',
      modules: ['monitor.ts', 'deliver.ts', 'bounded-fetch.ts'],
      settingsFrom: 'monitor.ts',
      settings: { ...rest, hosts, value_at: value_at ?? null, min: min ?? null, max: max ?? null, webhook },
      hosts: [...new Set([...hosts, ...(webhook?.hosts ?? [])])],
      about: [
        '`check` checks and alerts when the state changed; a schedule calls it. `judge` says what a measurement would mean, `last_state` what the last check found.',
      ],
    });
    return {
      files,
      trials: [
        {
          skill: 'judge',
          args: { status: 500 },
          expect: { type: 'object', properties: { state: { enum: ['failing', 'alert'] } }, required: ['state', 'reason'] },
        },
        { skill: 'last_state', args: {}, expect: { type: 'object', required: ['last'] } },
      ],
      next: [...secretSteps(brief, 1), `Check now: svc call ${brief.name} check`],
      schedule: { skill: 'check', args: {}, cron, time_zone },
    };
  },
};
