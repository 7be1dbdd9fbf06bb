// Takes what people fill in, keeps it as records, and tells a webhook.
import { createHash, randomUUID } from 'node:crypto';
import { Agent, type MemoryEntry, type RunContext, skill, SkillInputError, z } from '@svc/sdk';
import { deliver, DELIVERIES } from './deliver.ts';
import { filledIn, modelOf, type Settings, textOf, type Values } from './form.ts';
import { about, settings } from './settings.ts';

const RECORDS = 'records';
const MAX_BYTES = 200 * 1024;

const Values = z.record(z.string(), z.union([z.string(), z.number(), z.boolean()]));
const Record = z.object({ id: z.string(), created_at: z.string(), values: Values });
const Kept = z.object({ values: Values });
const Delivery = z.enum([...DELIVERIES, 'failed']);
type Record = z.infer<typeof Record>;

export class FormToRecord extends Agent {
  name = about.name;
  description = about.description;
  version = about.version;
  override requiredSecrets: readonly string[] = about.secrets;
  override egress = { allowHosts: about.hosts };
  override state = 'durable' as const;
  override concurrency = 4;
  readonly settings: Settings = settings;

  submit = skill(
    {
      description: `Takes the form "${settings.title}" and keeps it as a record.`,
      timeoutSeconds: 30,
      input: modelOf(settings.fields),
      output: z.object({
        record: Record,
        delivery: Delivery.describe('off: there is no webhook; no_secret: its address is not stored yet; failed: see the log.'),
      }),
    },
    async (ctx, input) => {
      const record = await this.#keep(ctx, filledIn(input));
      return { record, delivery: await this.#tell(ctx, record) };
    },
  );

  check = skill(
    {
      description: 'Says whether a form could be taken. Nothing is kept.',
      readOnly: true,
      idempotent: true,
      input: modelOf(settings.fields),
      output: z.object({
        values: Values.describe('As the record would have them.'),
        taken: z.boolean().describe('There is a record with the same value already.'),
      }),
    },
    async (ctx, input) => {
      const values = filledIn(input);
      return { values, taken: (await ctx.memory.get(this.#idOf(values), { namespace: RECORDS })) !== undefined };
    },
  );

  find_records = skill(
    {
      description: 'Finds records by words of them; without words, lists them.',
      readOnly: true,
      idempotent: true,
      input: z.object({ query: z.string().max(200).default(''), limit: z.int().min(1).max(50).default(20) }),
      output: z.object({ records: z.array(Record) }),
    },
    async (ctx, { query, limit }) => {
      const options = { namespace: RECORDS, limit };
      const entries = query.trim() === '' ? (await ctx.memory.list(options)).items : await ctx.memory.search(query, options);
      return { records: entries.map(recordOf) };
    },
  );

  /** @throws SkillInputError where there is such a record already */
  async #keep(ctx: RunContext, values: Values): Promise<Record> {
    if (Buffer.byteLength(JSON.stringify(values)) > MAX_BYTES) throw new SkillInputError(`The form has more than ${MAX_BYTES} bytes: write less.`);
    // The condition makes one of two that come at the same time fail.
    const kept = await ctx.memory.put(this.#idOf(values), { values }, { namespace: RECORDS, ifVersion: 0 });
    if (kept) return recordOf(kept);
    const name = this.settings.unique ?? 'id';
    const issues = [{ path: [name], code: 'taken', message: 'is taken' }];
    throw new SkillInputError(`There is a record with this ${name} already: change it, or find the record with find_records.`, issues);
  }

  /** The record is kept by now: what the webhook does not take is logged, so that nobody submits twice. */
  async #tell(ctx: RunContext, record: Record): Promise<z.infer<typeof Delivery>> {
    try {
      return await deliver(ctx, this.settings.webhook, { text: textOf(this.settings, record.values), data: record });
    } catch (error) {
      ctx.checkCancelled();
      ctx.log.error('the webhook was not told', { record: record.id, reason: error instanceof Error ? error.message : 'failed' });
      return 'failed';
    }
  }

  /** Of the field that no two records may share, so that there is one for each of its values. */
  #idOf(values: Values): string {
    const value = this.settings.unique === null ? undefined : values[this.settings.unique];
    return value === undefined ? randomUUID() : createHash('sha256').update(String(value).trim().toLowerCase()).digest('hex').slice(0, 32);
  }
}

function recordOf({ key, value, createdAt }: MemoryEntry): Record {
  return { id: key, created_at: createdAt, values: Kept.parse(value).values };
}
