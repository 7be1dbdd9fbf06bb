// scheduled_digest: what is new in several feeds, sent by the calendar.
import { z } from 'zod';
import { Cron } from '#contract/conversation/schedules.ts';
import { TimeZone } from '#contract/wire/time-zone.ts';
import { parsedInputs } from '../inputs.ts';
import { projectOf, secretSteps } from '../project.ts';
import type { Recipe } from '../recipe.ts';
import { hostsOf, PublicAddress, webhookHost, webhookOf } from '../webhook.ts';

const inputs = z.object({
  title: z.string().trim().min(1).max(120).default('What is new').describe('First line of each digest.'),
  sources: z
    .array(
      z.strictObject({ name: z.string().trim().min(1).max(80).describe('As the digest names it.'), url: PublicAddress.describe('An RSS, Atom or JSON feed.') }),
    )
    .min(1)
    .max(20)
    .describe('Feeds that are read: [{"name": "News", "url": "https://news.example.com/feed.xml"}].'),
  keywords: z.array(z.string().trim().min(1).max(80)).max(30).default([]).describe('Only what has one of them in its title; empty: everything.'),
  max_items: z.int().min(1).max(100).default(20).describe('In one digest.'),
  cron: Cron.default('0 8 * * mon-fri').describe('When it is sent: minute, hour, day of month, month, day of week.'),
  time_zone: TimeZone.default('UTC').describe('Of the times in cron, by its IANA name.'),
  webhook_host: webhookHost,
});

export const scheduledDigest: Recipe = {
  recipe: 'scheduled_digest',
  title: 'Scheduled digest',
  description: 'Reads feeds by the calendar and sends what is new since the last time.',
  words: ['digest', 'daily', 'weekly', 'morning', 'feed', 'feeds', 'news', 'summary', 'rss', 'headlines', 'newsletter', 'schedule', 'blogs', 'every'],
  inputs,
  async write(_ctx, brief) {
    const { cron, time_zone, webhook_host, sources, ...rest } = parsedInputs(inputs, brief.inputs);
    const webhook = webhookOf(brief.integrations, webhook_host);
    const hosts = hostsOf(sources.map(({ url }) => url));
    const files = await projectOf({
      brief,
      folder: import.meta.dirname,
      className: 'ScheduledDigest',
      modules: ['digest.ts', 'feed.ts', 'deliver.ts', 'bounded-fetch.ts'],
      settingsFrom: 'digest.ts',
      settings: { ...rest, sources, hosts, webhook },
      hosts: [...new Set([...hosts, ...(webhook?.hosts ?? [])])],
      about: [
        '`digest` sends what is new since the last digest; a schedule calls it. `preview` shows what it would send. What was sent is kept in its memory.',
      ],
    });
    return {
      files,
      trials: [{ skill: 'preview', args: {}, expect: { type: 'object', required: ['text', 'items', 'failed'] } }],
      next: [...secretSteps(brief, 1), `See the next digest: svc call ${brief.name} preview`],
      schedule: { skill: 'digest', args: {}, cron, time_zone },
    };
  },
};
