// Sorts the mail that people write to it, answers what has an answer, and keeps a list of all.
import { createHash } from 'node:crypto';
import { Agent, EmailMessage, EmailReply, type RunContext, skill, z } from '@svc/sdk';
import { about, settings } from './settings.ts';
import { type Mail, oneLine, type Settings, triageByModel, triageByWords, type Triaged } from './triage.ts';

const LIST = 'mail';
const KEEP_SECONDS = 90 * 86_400;

const Entry = z.object({
  sender: z.string(),
  subject: z.string(),
  date: z.string(),
  category: z.string(),
  urgent: z.boolean(),
  answered: z.boolean(),
  attachments: z.int(),
});

export class MailTriage extends Agent {
  name = about.name;
  description = about.description;
  version = about.version;
  override requiredSecrets: readonly string[] = about.secrets;
  override state = 'durable' as const;
  override concurrency = 4;
  readonly settings: Settings = settings;

  triage = skill(
    {
      description: 'Says how a mail would be sorted and answered. Nothing is sent or kept.',
      readOnly: true,
      idempotent: true,
      input: z.object({ subject: z.string().max(500).default(''), body: z.string().min(1).max(100_000) }),
      output: z.object({
        category: z.string(),
        urgent: z.boolean(),
        matched: z.array(z.string()).describe('Words that decided; none where a model did.'),
        reply: z.string().nullable().describe('What would be answered.'),
      }),
    },
    async (ctx, mail) => await this.#sorted(ctx, mail),
  );

  on_email = skill(
    { description: 'Sorts a mail, keeps it in the list, and answers it.', timeoutSeconds: 60, input: EmailMessage, output: EmailReply.nullable() },
    async (ctx, { sender, subject, body, date, message_id, attachments }) => {
      const { category, urgent, reply } = await this.#sorted(ctx, { subject, body });
      const entry = { sender, subject: oneLine(subject), date, category, urgent, answered: reply !== null, attachments: attachments.length };
      // By the message: the same mail twice is one entry.
      const key = createHash('sha256').update(message_id).digest('hex').slice(0, 32);
      await ctx.memory.put(key, entry, { namespace: LIST, metadata: { category }, ttlSeconds: KEEP_SECONDS });
      if (urgent) ctx.log.warn('urgent mail', { category });
      return reply === null ? null : { body: reply, subject: `Re: ${oneLine(subject)}` };
    },
  );

  list_mail = skill(
    {
      description: 'Lists the mail of the last 90 days, newest first.',
      readOnly: true,
      idempotent: true,
      input: z.object({
        category: z.string().max(80).default('').describe('Only of this category.'),
        urgent_only: z.boolean().default(false),
        limit: z.int().min(1).max(100).default(20),
      }),
      output: z.object({ mail: z.array(Entry), counts: z.record(z.string(), z.int()).describe('By category, of all that is kept.') }),
    },
    async (ctx, { category, urgent_only, limit }) => {
      const all = await listed(ctx);
      const counts: Record<string, number> = {};
      for (const one of all) counts[one.category] = (counts[one.category] ?? 0) + 1;
      const wanted = all.filter((one) => (category === '' || one.category === category) && (!urgent_only || one.urgent));
      return { mail: wanted.toSorted((a, b) => b.date.localeCompare(a.date)).slice(0, limit), counts };
    },
  );

  async #sorted(ctx: RunContext, mail: Mail): Promise<Triaged> {
    const byModel = this.settings.by_model ? await triageByModel(ctx.llm, mail, this.settings) : undefined;
    return byModel ?? triageByWords(mail, this.settings);
  }
}

const MAX_PAGES = 10;

async function listed({ memory }: RunContext): Promise<z.infer<typeof Entry>[]> {
  const found: z.infer<typeof Entry>[] = [];
  let cursor: string | null = null;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const { items, nextCursor } = await memory.list({ namespace: LIST, limit: 100, cursor });
    for (const { value } of items) {
      const entry = Entry.safeParse(value);
      if (entry.success) found.push(entry.data);
    }
    if (nextCursor === null) break;
    cursor = nextCursor;
  }
  return found;
}
