// A person decides before something is deleted.
import type { HttpOperation } from '../../../contract/wire/http-operation.ts';
import type { RunContext } from '../authoring/context.ts';
import { SkillInvocationError } from '../authoring/errors.ts';

const WAIT_SECONDS = 24 * 3600;
const SHOWN_ARGUMENTS = 600;

/** @throws SkillInvocationError where it is refused; QuestionTimeout; NobodyToAsk */
export async function approve(ctx: RunContext, operation: HttpOperation, args: Readonly<Record<string, unknown>>): Promise<void> {
  const shown = JSON.stringify(args);
  const schema = { type: 'object', properties: { approve: { type: 'boolean', title: 'Send it' } }, required: ['approve'] };
  const question = `Send ${operation.at} with ${shown.length > SHOWN_ARGUMENTS ? `${shown.slice(0, SHOWN_ARGUMENTS)} …` : shown}?`;
  const answer = await ctx.ask(question, WAIT_SECONDS, { schema });
  if (!isYes(answer)) throw new SkillInvocationError(`${operation.at} was not approved; nothing was sent`, { status: 403 });
}

function isYes(answer: string): boolean {
  try {
    const decision: unknown = JSON.parse(answer);
    return decision === true || (typeof decision === 'object' && decision !== null && 'approve' in decision && decision.approve === true);
  } catch {
    return /^(?:y|yes)$/i.test(answer.trim());
  }
}
