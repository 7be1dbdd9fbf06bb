// Takes what people fill in, keeps it as records for the owner, and tells a webhook.
import { Agent, type RunContext, skill, SkillInputError, z } from '@svc/sdk';
import { deliver, DELIVERIES } from './deliver.ts';
import { filledIn, modelOf, type Settings, textOf, type Values } from './form.ts';
import { all, isTaken, keep, own, Record } from './records.ts';
import { about, settings } from './settings.ts';

const MAX_BYTES = 200 * 1024;

const Delivery = z.enum([...DELIVERIES, 'failed']);
const query = z.string().max(200).default('');

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
        values: Record.shape.values.describe('As the record would have them.'),
        taken: z.boolean().describe('There is a record with the same value already.'),
      }),
    },
    async (ctx, input) => {
      const values = filledIn(input);
      return { values, taken: await isTaken(ctx, this.#uniqueOf(values)) };
    },
  );

  find_records = skill(
    {
      description: 'Finds your own records by words of them; without words, lists them, the newest first.',
      readOnly: true,
      idempotent: true,
      input: z.object({ query, limit: z.int().min(1).max(100).default(20) }),
      output: z.object({ records: z.array(Record) }),
    },
    async (ctx, input) => ({ records: await own(ctx, input.query, input.limit) }),
  );

  list_records = skill(
    {
      description: 'Lists the records of all callers, or finds them by words. For the owner, and for whom the owner gave the scope "records".',
      scopes: ['records'],
      readOnly: true,
      idempotent: true,
      input: z.object({
        query,
        limit: z.int().min(1).max(50).default(20),
        cursor: z.string().nullable().default(null).describe('next_cursor of the page before.'),
      }),
      output: z.object({ records: z.array(Record), next_cursor: z.string().nullable() }),
    },
    async (ctx, input) => all(ctx, input),
  );

  /** @throws SkillInputError where there is such a record already */
  async #keep(ctx: RunContext, values: Values): Promise<Record> {
    if (Buffer.byteLength(JSON.stringify(values)) > MAX_BYTES) throw new SkillInputError(`The form has more than ${MAX_BYTES} bytes: write less.`);
    const kept = await keep(ctx, values, { unique: this.#uniqueOf(values), anonymousPerDay: this.settings.anonymousPerDay });
    if (kept) return kept;
    const name = this.settings.unique ?? 'id';
    throw new SkillInputError(`There is a record with this ${name} already: change it.`, [{ path: [name], code: 'taken', message: 'is taken' }]);
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

  /** Of the field that no two records may share. */
  #uniqueOf(values: Values): string | null {
    const value = this.settings.unique === null ? undefined : values[this.settings.unique];
    return value === undefined ? null : String(value).trim().toLowerCase();
  }
}
