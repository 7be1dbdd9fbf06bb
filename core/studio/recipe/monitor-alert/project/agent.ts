// Asks one address, holds what comes against its bounds, and alerts when that changes. A schedule calls
// check.
import { Agent, type RunContext, skill, z } from '@svc/sdk';
import { boundedFetch } from './bounded-fetch.ts';
import { deliver, DELIVERIES } from './deliver.ts';
import { type Measured, numberAt, type Settings, State, stateAfter, textOf } from './monitor.ts';
import { about, settings } from './settings.ts';

const LAST = 'last';

export class MonitorAlert extends Agent {
  name = about.name;
  description = about.description;
  version = about.version;
  override requiredSecrets: readonly string[] = about.secrets;
  override egress = { allowHosts: about.hosts };
  override state = 'durable' as const;
  readonly settings: Settings = settings;

  check = skill(
    {
      description: 'Checks now, remembers the state, and alerts when it changed.',
      timeoutSeconds: 90,
      output: z.object({
        current: State,
        changed: z.boolean().describe('From well to alert, or back.'),
        delivery: z.enum([...DELIVERIES, 'no_change']).describe('off: there is no webhook; no_secret: its address is not stored yet.'),
      }),
    },
    async (ctx) => {
      const entry = await ctx.memory.get(LAST);
      const before = State.safeParse(entry?.value).data;
      const measured = await this.#measure(ctx);
      const { state, changed } = stateAfter(before, measured, this.settings, new Date().toISOString());
      const text = textOf(this.settings.title, state, before);
      // Before it is remembered: an alert that fails is sent with the next check.
      const delivery = changed ? await deliver(ctx, this.settings.webhook, { text, data: state }) : ('no_change' as const);
      if (!(await ctx.memory.put(LAST, state, { ifVersion: entry?.version ?? 0 }))) ctx.log.warn('another check ran at the same time');
      return { current: state, changed, delivery };
    },
  );

  judge = skill(
    {
      description: 'Says what a measurement would mean, from a state that is well. Nothing is asked, remembered or sent.',
      readOnly: true,
      idempotent: true,
      input: z.object({
        status: z.int().min(100).max(599).nullable().default(200).describe('null: no answer.'),
        milliseconds: z.number().min(0).max(600_000).default(0),
        value: z.number().nullable().default(null),
      }),
      output: z.object({ state: State.shape.state, reason: z.string() }),
    },
    async (_ctx, measured) => {
      const { state, reason } = stateAfter(undefined, { ...measured, fault: null }, this.settings, new Date().toISOString()).state;
      return { state, reason };
    },
  );

  last_state = skill(
    {
      description: 'What the last check found.',
      readOnly: true,
      idempotent: true,
      output: z.object({ last: State.nullable().describe('null: it was never checked.') }),
    },
    async (ctx) => ({ last: State.safeParse((await ctx.memory.get(LAST))?.value).data ?? null }),
  );

  /** What fails is a measurement, too. */
  async #measure(ctx: RunContext): Promise<Measured> {
    const { url, hosts, value_at, max_seconds } = this.settings;
    const begun = performance.now();
    try {
      const { status, text } = await boundedFetch(url, {
        hosts,
        signal: ctx.signal,
        timeoutSeconds: max_seconds,
        headers: { accept: 'application/json, */*;q=0.5' },
      });
      const milliseconds = Math.round(performance.now() - begun);
      const value = value_at === null ? null : numberAt(parsed(text), value_at);
      return { status, milliseconds, value, fault: null };
    } catch (error) {
      ctx.checkCancelled();
      return { status: null, milliseconds: Math.round(performance.now() - begun), value: null, fault: error instanceof Error ? error.message : 'no answer' };
    }
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
