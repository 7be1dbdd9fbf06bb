// What a schedule runs: checked when it is set, so that a mistake shows at once and not at three in the morning.
import type { Knex } from 'knex';
import type { ScheduleTarget } from '../../../contract/runs/schedules.ts';
import { visibleAgent } from '../../agents/agent/find.ts';
import type { UserActor } from '../../ctx.ts';
import { NotFound } from '../../errors.ts';
import { ownedThread } from '../thread/find.ts';

export interface CheckedTarget {
  agentId: string | null;
  /** What it is called where its owner has no title for it. */
  title: string;
}

/** @throws NotFound agent_not_found, skill_not_found */
export async function checkTarget(db: Knex, user: UserActor, target: ScheduleTarget): Promise<CheckedTarget> {
  if (target.kind === 'prompt' && target.thread_id !== null) await ownedThread(db, user, target.thread_id);
  if (target.kind === 'prompt') return { agentId: null, title: target.prompt.slice(0, 80) };
  const agent = await visibleAgent(db, user, target.agent);
  // None known: it has not been deployed yet.
  if (agent.skills.length > 0 && !agent.skills.includes(target.skill)) {
    throw new NotFound('skill_not_found', `${target.agent} has no skill ${target.skill}; it has ${agent.skills.slice(0, 20).join(', ')}`);
  }
  return { agentId: agent.agent_id, title: `${target.agent}.${target.skill}` };
}
