// Reads its sources, and sends what is new since the last time. A schedule calls digest.
import { Agent, type RunContext, skill, SkillInvocationError, z } from '@svc/sdk';
import { boundedFetch } from './bounded-fetch.ts';
import { deliver, DELIVERIES } from './deliver.ts';
import { gather, type Gathered, keyOf, pick, type Settings, textOf } from './digest.ts';
import { about, settings } from './settings.ts';

/** Keys of items that were sent, the newest last. */
const SEEN = 'seen';
const MAX_SEEN = 1_000;
const Seen = z.array(z.string().max(64)).max(MAX_SEEN).catch([]);

const Item = z.object({ id: z.string(), title: z.string(), url: z.string(), date: z.string().nullable(), source: z.string() });
const Failed = z.array(z.object({ source: z.string(), reason: z.string() })).describe('Sources that could not be read.');

export class ScheduledDigest extends Agent {
  name = about.name;
  description = about.description;
  version = about.version;
  override requiredSecrets: readonly string[] = about.secrets;
  override egress = { allowHosts: about.hosts };
  override state = 'durable' as const;
  readonly settings: Settings = settings;

  preview = skill(
    {
      description: 'Shows what the next digest would say. Nothing is sent or remembered.',
      readOnly: true,
      idempotent: true,
      timeoutSeconds: 60,
      output: z.object({ text: z.string(), items: z.array(Item), failed: Failed }),
    },
    async (ctx) => {
      const { items, failed } = await this.#gather(ctx);
      const picked = pick(items, this.settings, new Set(Seen.parse((await ctx.memory.get(SEEN))?.value)));
      return { text: textOf(this.settings.title, picked, failed), items: picked, failed };
    },
  );

  digest = skill(
    {
      description: 'Gathers what is new since the last digest and sends it. With nothing new, nothing is sent.',
      timeoutSeconds: 90,
      output: z.object({
        text: z.string(),
        items: z.array(Item),
        failed: Failed,
        delivery: z.enum([...DELIVERIES, 'nothing_new']).describe('off: there is no webhook; no_secret: its address is not stored yet.'),
      }),
    },
    async (ctx) => {
      const { items, failed } = await this.#gather(ctx);
      if (failed.length === this.settings.sources.length)
        throw new SkillInvocationError(`No source could be read: ${failed.map(({ source, reason }) => `${source}: ${reason}`).join(' ')}`, { status: 502 });
      const entry = await ctx.memory.get(SEEN);
      const seen = Seen.parse(entry?.value);
      const picked = pick(items, this.settings, new Set(seen));
      const text = textOf(this.settings.title, picked, failed);
      if (picked.length === 0) return { text, items: picked, failed, delivery: 'nothing_new' as const };
      const delivery = await deliver(ctx, this.settings.webhook, { text, data: { items: picked } });
      // After it was sent: what fails on the way comes again with the next digest.
      const now = [...seen, ...picked.map(keyOf)].slice(-MAX_SEEN);
      if (!(await ctx.memory.put(SEEN, now, { ifVersion: entry?.version ?? 0 }))) ctx.log.warn('another digest ran at the same time');
      return { text, items: picked, failed, delivery };
    },
  );

  async #gather(ctx: RunContext): Promise<Gathered> {
    const headers = { accept: 'application/rss+xml, application/atom+xml, application/feed+json, */*;q=0.5' };
    const request = { hosts: this.settings.hosts, signal: ctx.signal, headers, maxBytes: 2 * 1024 * 1024 };
    return await gather(this.settings.sources, async (url) => {
      const { status, text } = await boundedFetch(url, request);
      if (status >= 400) throw new SkillInvocationError(`answered ${status}`);
      return text;
    });
  }
}
