// Asks a person for a decision and keeps it: the same request asked again gives the same decision.
import { Agent, QuestionTimeout, type RunContext, skill, SkillInputError, SkillInvocationError, z } from '@svc/sdk';
import { answerOf, Decision, fingerprintOf, FORM, promptOf, Request, type Settings } from './decision.ts';
import { deliver, DELIVERIES } from './deliver.ts';
import { about, settings } from './settings.ts';

const DECISIONS = 'decisions';
const Shown = Decision.omit({ fingerprint: true });
const Delivery = z.enum([...DELIVERIES, 'failed']);

export class ApprovalDesk extends Agent {
  name = about.name;
  description = about.description;
  version = about.version;
  override requiredSecrets: readonly string[] = about.secrets;
  override egress = { allowHosts: about.hosts };
  override state = 'durable' as const;
  override concurrency = 8;
  readonly settings: Settings = settings;

  decide = skill(
    {
      description: 'Asks the owner of the agent to approve or deny a request, and keeps the decision. It waits until they answer.',
      tags: ['approval'],
      input: Request,
      output: z.object({
        decision: Shown,
        repeated: z.boolean().describe('It was decided before; nobody was asked.'),
        delivery: Delivery.describe('off: there is no webhook, or it was told before; no_secret: its address is not stored yet; failed: see the log.'),
      }),
    },
    async (ctx, request) => {
      const before = await this.#kept(ctx, request);
      if (before) return { decision: shown(before), repeated: true, delivery: 'off' as const };
      const { approve_up_to: limit } = this.settings;
      const byRule = limit !== null && request.amount !== undefined && request.amount <= limit;
      const said = byRule ? { decision: 'approved' as const, comment: '' } : await this.#ask(ctx, request);
      const decision: Decision = {
        ...said,
        reference: request.reference,
        title: request.title,
        by: byRule ? 'rule' : 'person',
        decided_at: new Date().toISOString(),
        fingerprint: fingerprintOf(request),
      };
      if (!(await ctx.memory.put(request.reference, decision, { namespace: DECISIONS, ifVersion: 0 }))) {
        // It was decided elsewhere meanwhile: the first decision counts.
        const first = await this.#kept(ctx, request);
        if (first) return { decision: shown(first), repeated: true, delivery: 'off' as const };
        throw new SkillInvocationError('The decision could not be kept: ask again.');
      }
      return { decision: shown(decision), repeated: false, delivery: await this.#tell(ctx, decision) };
    },
  );

  decision = skill(
    {
      description: 'Looks up the decision of a request. Nobody is asked.',
      readOnly: true,
      idempotent: true,
      input: z.object({ reference: Request.shape.reference }),
      output: z.object({ decision: Shown.nullable().describe('null: it is not decided.') }),
    },
    async (ctx, { reference }) => {
      const entry = await ctx.memory.get(reference, { namespace: DECISIONS });
      return { decision: entry ? shown(Decision.parse(entry.value)) : null };
    },
  );

  list_decisions = skill(
    {
      description: 'Lists decisions by their references.',
      readOnly: true,
      idempotent: true,
      input: z.object({ prefix: z.string().max(100).default(''), limit: z.int().min(1).max(100).default(20) }),
      output: z.object({ decisions: z.array(Shown) }),
    },
    async (ctx, { prefix, limit }) => {
      const { items } = await ctx.memory.list({ namespace: DECISIONS, prefix, limit });
      return { decisions: items.map(({ value }) => shown(Decision.parse(value))) };
    },
  );

  /** @throws SkillInputError where the reference stands for another request */
  async #kept(ctx: RunContext, request: Request): Promise<Decision | undefined> {
    const entry = await ctx.memory.get(request.reference, { namespace: DECISIONS });
    if (!entry) return undefined;
    const kept = Decision.parse(entry.value);
    if (kept.fingerprint === fingerprintOf(request)) return kept;
    throw new SkillInputError(`"${request.reference}" stands for another request ("${kept.title}"), which was ${kept.decision}: use another reference.`, [
      { path: ['reference'], code: 'taken', message: 'stands for another request' },
    ]);
  }

  /** @throws SkillInvocationError when nobody answers in time; then nothing is decided, and it may be asked again */
  async #ask(ctx: RunContext, request: Request): Promise<Pick<Decision, 'decision' | 'comment'>> {
    try {
      const said = answerOf(await ctx.ask(promptOf(this.settings.question, request), this.settings.wait_seconds, { schema: FORM, of: 'owner' }));
      if (said) return said;
    } catch (error) {
      if (!(error instanceof QuestionTimeout)) throw error;
      throw new SkillInvocationError(`Nobody decided about "${request.reference}" in time: ask again.`, { status: 504, cause: error });
    }
    throw new SkillInvocationError('The answer must be "approve" or "deny": ask again.', { status: 409 });
  }

  /** The decision is kept by now: a webhook that fails does not undo it. */
  async #tell(ctx: RunContext, decision: Decision): Promise<z.infer<typeof Delivery>> {
    try {
      const comment = decision.comment === '' ? '' : `: ${decision.comment}`;
      return await deliver(ctx, this.settings.webhook, {
        text: `${decision.title} (${decision.reference}) was ${decision.decision}${comment}`,
        data: shown(decision),
      });
    } catch (error) {
      ctx.checkCancelled();
      ctx.log.error('the webhook was not told', { reference: decision.reference, reason: error instanceof Error ? error.message : 'failed' });
      return 'failed';
    }
  }
}

function shown(decision: Decision): z.infer<typeof Shown> {
  // What the model does not name is left out.
  return Shown.parse(decision);
}
