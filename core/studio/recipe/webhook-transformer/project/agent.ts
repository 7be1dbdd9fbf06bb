// Takes what a webhook sends, makes a record of it, and passes it on.
import { Agent, skill, SkillInputError, z } from '@svc/sdk';
import { deliver, DELIVERIES } from './deliver.ts';
import { about, settings } from './settings.ts';
import { type Settings, textOf, transformed } from './transform.ts';

const MAX_PAYLOAD_BYTES = 256 * 1024;

const Payload = z
  .record(z.string(), z.unknown())
  .refine((payload) => Buffer.byteLength(JSON.stringify(payload)) <= MAX_PAYLOAD_BYTES, `has more than ${MAX_PAYLOAD_BYTES} bytes: send less`)
  .describe('What the sender sends, as it is.');
const Record = z.record(z.string(), z.unknown()).describe('The fields that settings.ts names.');

export class WebhookTransformer extends Agent {
  name = about.name;
  description = about.description;
  version = about.version;
  override requiredSecrets: readonly string[] = about.secrets;
  override egress = { allowHosts: about.hosts };
  override concurrency = 8;
  readonly settings: Settings = settings;

  transform = skill(
    {
      description: 'Shows what a payload becomes. Nothing is sent.',
      readOnly: true,
      idempotent: true,
      input: z.object({ payload: Payload }),
      output: z.object({ record: Record }),
    },
    async (_ctx, { payload }) => ({ record: this.#recordOf(payload) }),
  );

  receive = skill(
    {
      description: 'Makes a record of a payload and sends it to the webhook of this agent.',
      timeoutSeconds: 30,
      input: z.object({ payload: Payload }),
      output: z.object({ record: Record, delivery: z.enum(DELIVERIES).describe('off: there is no webhook; no_secret: its address is not stored yet.') }),
    },
    async (ctx, { payload }) => {
      const record = this.#recordOf(payload);
      const delivery = await deliver(ctx, this.settings.webhook, { text: textOf(record), data: record });
      return { record, delivery };
    },
  );

  #recordOf(payload: { [name: string]: unknown }): { [name: string]: unknown } {
    const { record, problems } = transformed(payload, this.settings.fields);
    if (problems.length === 0) return record;
    throw new SkillInputError(
      `The payload does not fit: ${problems.map(({ path, message }) => `${path.join('.')} ${message}`).join('; ')}`,
      problems.map((problem) => ({ ...problem, code: 'custom' })),
    );
  }
}
