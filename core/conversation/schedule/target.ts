// What a schedule runs, checked when it is set: a mistake shows at once, not when it comes due.
import type { Knex } from 'knex';
import type { ScheduleTarget } from '#contract/conversation/schedules.ts';
import { agentFor } from '../../agents/agent/find.ts';
import { checkArgs } from '../../runs/run/check-args.ts';
import type { UserActor } from '../../kernel/ctx.ts';
import { Invalid, NotFound } from '../../kernel/errors.ts';
import { writtenSteps } from '../chat/understand.ts';
import { threadFor } from '../../threads/find.ts';

export interface CheckedTarget {
  agentId: string | null;
  /** Its title where its owner has given none. */
  title: string;
}

/** @throws NotFound agent_not_found, skill_not_found; Invalid for arguments that do not fit */
export async function checkTarget(db: Knex, user: UserActor, target: ScheduleTarget): Promise<CheckedTarget> {
  if (target.kind === 'prompt' && target.thread_id !== null) await threadFor(db, user, 'chat.turn', target.thread_id);
  if (target.kind === 'prompt') await checkPrompt(db, user, target.prompt);
  if (target.kind === 'prompt') return { agentId: null, title: target.prompt.slice(0, 80) };
  const agent = await agentFor(db, user, 'agent.read', target.agent);
  // No skills are known before the first deployment.
  if (agent.skills.length > 0 && !agent.skills.includes(target.skill)) {
    throw new NotFound('skill_not_found', `agent ${target.agent} has no skill ${target.skill}; it has ${agent.skills.slice(0, 20).join(', ')}`);
  }
  await checkArgs({ agent: target.agent, author: agent.owner_id, card: agent.card, skill: target.skill, args: target.args, at: ['body', 'target', 'args'] });
  return { agentId: agent.agent_id, title: `${target.agent}.${target.skill}` };
}

/** Checks the calls in a prompt. Agents that it names may be made later. */
async function checkPrompt(db: Knex, user: UserActor, prompt: string): Promise<void> {
  try {
    await writtenSteps(db, user, prompt);
  } catch (error) {
    if (error instanceof Invalid)
      throw new Invalid(error.issues.map(({ path, message }) => ({ path: ['body', 'target', 'prompt', ...path.slice(2)], message })));
    if (!(error instanceof NotFound)) throw error;
  }
}
