// Asks the owner, or whom the owner names, for a decision and keeps it: the same request asked again gives
// the same decision.
import { Agent, NobodyToAsk, QuestionTimeout, type RunContext, skill, SkillInvocationError, z } from '@svc/sdk';
import { answerOf, Decision, fingerprintOf, FORM, promptOf, Request, type Settings } from './decision.ts';
import { all, before, keep, Listed, listOwn, notKept, own } from './decisions.ts';
import { deliver, DELIVERIES } from './deliver.ts';
import { about, settings } from './settings.ts';

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
      description: 'Asks the owner of the agent, or whom the owner names, to approve or deny a request, and keeps the decision. It waits until they answer.',
      tags: ['approval'],
      input: Request,
      output: z.object({
        decision: Shown,
        repeated: z.boolean().describe('It was decided before; nobody was asked.'),
        delivery: Delivery.describe('off: there is no webhook, or it was told before; no_secret: its address is not stored yet; failed: see the log.'),
      }),
    },
    async (ctx, request) => {
      const earlier = await before(ctx, request);
      if (earlier) return { decision: shown(earlier), repeated: true, delivery: 'off' as const };
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
      if (!(await keep(ctx, request, decision))) {
        // It was decided elsewhere meanwhile: the first decision counts.
        const first = await before(ctx, request);
        if (!first) throw notKept();
        return { decision: shown(first), repeated: true, delivery: 'off' as const };
      }
      return { decision: shown(decision), repeated: false, delivery: await this.#tell(ctx, decision) };
    },
  );

  decision = skill(
    {
      description: 'Looks up the decision of a request of yours. Nobody is asked.',
      readOnly: true,
      idempotent: true,
      input: z.object({ reference: Request.shape.reference }),
      output: z.object({ decision: Shown.nullable().describe('null: it is not decided.') }),
    },
    async (ctx, { reference }) => {
      const found = await own(ctx, reference);
      return { decision: found && shown(found) };
    },
  );

  list_decisions = skill(
    {
      description: 'Lists decisions of your requests by their references.',
      readOnly: true,
      idempotent: true,
      input: z.object({ prefix: z.string().max(100).default(''), limit: z.int().min(1).max(100).default(20) }),
      output: z.object({ decisions: z.array(Shown) }),
    },
    async (ctx, { prefix, limit }) => ({ decisions: (await listOwn(ctx, prefix, limit)).map(shown) }),
  );

  all_decisions = skill(
    {
      description: 'Lists the decisions of all requesters, or finds them by words. For the owner, and for whom the owner gave the scope "decisions".',
      scopes: ['decisions'],
      readOnly: true,
      idempotent: true,
      input: z.object({
        query: z.string().max(200).default(''),
        limit: z.int().min(1).max(50).default(20),
        cursor: z.string().nullable().default(null).describe('next_cursor of the page before.'),
      }),
      output: z.object({ decisions: z.array(Listed), next_cursor: z.string().nullable() }),
    },
    async (ctx, input) => all(ctx, input),
  );

  /**
   * @throws SkillInvocationError when nobody answers in time; then nothing is decided, and it may be asked
   * again
   */
  async #ask(ctx: RunContext, request: Request): Promise<Pick<Decision, 'decision' | 'comment'>> {
    try {
      const { question, wait_seconds, ask } = this.settings;
      const said = answerOf(await ctx.ask(promptOf(question, request), wait_seconds, { schema: FORM, of: ask }));
      if (said) return said;
    } catch (error) {
      if (error instanceof QuestionTimeout)
        throw new SkillInvocationError(`Nobody decided about "${request.reference}" in time: ask again.`, { status: 504, cause: error });
      if (!(error instanceof NobodyToAsk)) throw error;
      // Whom it names is the owner's to know.
      ctx.log.error('nobody can be asked: change `ask` in settings.ts', { reason: error.message });
      throw new SkillInvocationError('Nobody can decide at present: tell the owner of this agent.', { status: 503, cause: error });
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
