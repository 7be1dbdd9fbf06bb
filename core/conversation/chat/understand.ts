// Interprets a message: a call, a plan, words for a model or the rules, words that fit one skill, or
// candidates with their forms.
import type { Knex } from 'knex';
import { argsIssuesApart } from '../../runs/run/check-args.ts';
import type { CallableSkill } from '../../deploys/planner/skills.ts';
import type { Ctx, UserActor } from '../../kernel/ctx.ts';
import { Invalid } from '../../kernel/errors.ts';
import { modelFor } from '../../money/llm/generate.ts';
import type { PlannedNode } from '../plan/model.ts';
import { referencePaths, stepsNeeded } from '../plan/references.ts';
import type { ChatMessageIn } from './begin.ts';
import { onlyText, requiredOf } from '../pick/form.ts';
import type { Reply, TurnReading } from './model.ts';
import { pickSkills } from '../pick/pick.ts';
import { mistakeAt, readMessage, type WrittenStep } from './read-message.ts';
import { planByRules } from './rules.ts';
import { skillOf } from './skills.ts';

export interface Understood {
  reading: TurnReading;
  /** As it stands in the thread. */
  said: string;
  /** Undefined: nothing runs, the reply is all. */
  work: PlannedNode[] | { rules: PlannedNode[] } | 'model' | undefined;
  reply: Omit<Reply, 'request_sha256'>;
}

export async function understand(ctx: Ctx, user: UserActor, i: ChatMessageIn): Promise<Understood> {
  if (i.agent !== undefined) return filledForm(ctx, user, i, i.agent);
  const written = await writtenSteps(ctx.db, user, i.message);
  if (written) return { reading: written.length > 1 ? 'plan' : 'call', said: i.message, work: written, reply: {} };
  if (i.model && (await modelFor(ctx, user.user_id))) return { reading: 'model', said: i.message, work: 'model', reply: {} };
  const read = await planByRules(ctx, user.user_id, i.message);
  if (read?.kind === 'plan') return { reading: 'plan', said: i.message, work: { rules: read.nodes }, reply: {} };
  if (read) return { reading: 'candidates', said: i.message, work: undefined, reply: { text: read.text, candidates: read.candidates } };
  return picked(ctx, user, i);
}

async function filledForm(ctx: Ctx, user: UserActor, i: ChatMessageIn, agent: string): Promise<Understood> {
  const { skill } = await skillOf(ctx.db, user, agent, i.skill);
  const args = i.args ?? {};
  const issues = await argsIssuesApart(agent, skill.input_schema, args);
  if (issues.length > 0) throw new Invalid(issues.map(({ path, message }) => ({ path: ['body', 'args', ...path], message })));
  const text = i.message.trim() === '' ? `@${agent}.${skill.id} ${JSON.stringify(args)}` : i.message;
  return { reading: 'call', said: text, work: [{ agent, skill: skill.id, args, depends_on: [] }], reply: {} };
}

/**
 * `@agent.skill {json}`, one or several; undefined: other words. @throws Invalid with the character of a
 * mistake; NotFound
 */
export async function writtenSteps(db: Knex, user: UserActor, text: string): Promise<PlannedNode[] | undefined> {
  const reading = readMessage(text);
  if (reading.kind !== 'steps') return undefined;
  const nodes: PlannedNode[] = [];
  for (const [at, step] of reading.steps.entries()) {
    const target = await skillOf(db, user, step.agent, step.skill);
    const args = step.args ?? textArgs(step, target);
    const needed = stepsNeeded(args);
    const wrong = needed.find((number) => number < 1 || number > at);
    if (wrong !== undefined) throw mistakeAt(step.at, `step ${at + 1} refers to $${wrong}.result, which is no step before it`);
    await checkWritten(step, target, args);
    const depends_on = [...new Set([...needed, ...(step.waits ? [at] : [])])].sort((a, b) => a - b);
    nodes.push({ agent: target.agent, skill: target.skill.id, args, depends_on });
  }
  return nodes;
}

/** `@notes.add buy milk`: for the one text that a skill needs. */
function textArgs(step: WrittenStep, { agent, skill }: CallableSkill): Record<string, unknown> {
  const required = requiredOf(skill.input_schema);
  const only = onlyText(skill.input_schema);
  if (step.words === '' && required.length === 0) return {};
  if (step.words !== '' && only !== undefined) return { [only]: step.words };
  const form = JSON.stringify(Object.fromEntries(required.map((name) => [name, `<${name}>`])));
  throw mistakeAt(step.at, `@${agent}.${skill.id} takes its arguments as JSON: @${agent}.${skill.id} ${form}`);
}

/**
 * What a reference stands for is known when its step has run. @throws Invalid with the character of the step,
 * and the field
 */
async function checkWritten(step: WrittenStep, { agent, skill }: CallableSkill, args: Record<string, unknown>): Promise<void> {
  const later = referencePaths(args);
  const [issue] = (await argsIssuesApart(agent, skill.input_schema, args)).filter(
    ({ path }) => !later.some((reference) => path.every((part, at) => String(part) === reference[at])),
  );
  if (issue) throw mistakeAt(step.at, `${agent}.${skill.id}: ${issue.path.join('.') || 'the arguments'}: ${issue.message}`);
}

/** Without a model: compares the words of the catalog with those of the message. */
async function picked(ctx: Ctx, user: UserActor, i: ChatMessageIn): Promise<Understood> {
  const { candidates, clear } = await pickSkills(ctx, user.user_id, i.message);
  const [best] = candidates;
  if (best && clear) {
    return {
      reading: 'picked',
      said: i.message,
      work: [{ agent: best.agent, skill: best.skill, args: best.args, depends_on: [] }],
      reply: { candidates: [best] },
    };
  }
  if (!best) {
    const text = 'No skill fits these words. Name one: @agent.skill {"argument": "value"}; svc agents lists agents.';
    return { reading: 'nothing', said: i.message, work: undefined, reply: { text } };
  }
  const missing = best.missing.length > 0 ? ` It needs: ${best.missing.join(', ')}.` : '';
  const text =
    candidates.length === 1
      ? `@${best.agent}.${best.skill} may do this.${missing}`
      : `These may do it; the first is @${best.agent}.${best.skill}.${missing} Choose one and fill its form.`;
  return { reading: 'candidates', said: i.message, work: undefined, reply: { text, candidates } };
}
