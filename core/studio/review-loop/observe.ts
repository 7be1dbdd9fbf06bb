// One call of a case, through the ordinary way in, and what it came to.
import { textFromBase64Url, toBase64Url } from '#contract/wire/base64url.ts';
import { DomainError } from '../../kernel/errors.ts';
import { firstId } from '../../kernel/ids.ts';
import { system } from '../../kernel/act.ts';
import { agentErrorOf, failureCode } from '../../runs/run/agent-error.ts';
import { hashOf } from '../../runs/run/hash.ts';
import { callSkillAt } from '../../runs/call/skill.ts';
import { mintGrant } from '../../workspace/grant/mint.ts';
import { revokeGrant } from '../../workspace/grant/revoke.ts';
import { type CaseCall, type CaseGrant, placed } from './attack/case.ts';
import type { Observation } from './attack/judge.ts';
import type { LoopTarget } from './target.ts';
import { afterAsking } from './waits.ts';

const GRANT_SECONDS = 300;
const MAX_TEXT = 262_144;
const MAX_PARTS = 20_000;

export interface CallLimits {
  skill: string;
  lateMs: number;
  /** Answer what it asks in ways that must be refused. */
  tampers: boolean;
}

export async function observe(target: LoopTarget, call: CaseCall, { skill, lateMs, tampers }: CallLimits): Promise<Observation> {
  // Safe: arguments are an object, and putting names in place leaves it one.
  const args = placed(call.args, target.facts.folders) as Record<string, unknown>;
  const grant = await grantFor(target, call.grant);
  const leaves = new AbortController();
  const timer = setTimeout(() => leaves.abort(), call.abortMs ?? lateMs);
  const started = target.ctx.clock();
  const begun = performance.now();
  const seen = (more: Pick<Observation, 'how' | 'code'> & Partial<Observation>): Observation => ({
    text: '',
    runId: null,
    asked: [],
    flags: [],
    ms: performance.now() - begun,
    ...more,
  });
  try {
    const performed = await callSkillAt(target.ctx, target.route, {
      skill_name: skill,
      args,
      accept: 'application/json',
      grant,
      signal: leaves.signal,
    });
    const { kind, runId = null } = performed;
    if (kind === 'deferred') return seen({ how: 'asked', code: null, runId, ...(runId === null ? {} : await afterAsking(target, runId, tampers)) });
    const value = kind === 'stream' ? undefined : performed.value;
    if (kind === 'stream' || kind === 'answered')
      return seen({ how: 'answered', code: null, runId, text: flatText(value), asked: runId === null ? [] : await extended(target, runId) });
    if (kind === 'unreadable') return seen({ how: 'failed', code: 'agent_bad_answer', runId });
    const error = agentErrorOf(value);
    if (kind === 'refused') return seen({ how: 'refused', code: error?.code ?? `http_${performed.status}`, runId, text: flatText(value) });
    const code = error?.code ?? failureCode(performed.status);
    return seen({ how: code === 'skill_timeout' ? 'refused' : 'failed', code, runId, text: flatText(error) });
  } catch (error) {
    if (!(error instanceof DomainError) && !leaves.signal.aborted) throw error;
    const runId = await runOfReceipt(target, error, args, started);
    if (leaves.signal.aborted) return seen({ how: call.abortMs === undefined ? 'late' : 'left', code: null, runId });
    return seen({ ...faultOf(error), runId });
  } finally {
    clearTimeout(timer);
  }
}

function faultOf(error: unknown): Pick<Observation, 'how' | 'code' | 'text'> {
  if (!(error instanceof DomainError)) return { how: 'unreachable', code: null, text: '' };
  const how = error.code.startsWith('agent_') && error.code !== 'agent_not_found' ? 'unreachable' : 'refused';
  return { how, code: error.code, text: flatText([error.message, error.details]) };
}

async function grantFor(target: LoopTarget, kind: CaseGrant): Promise<string | undefined> {
  if (kind === 'none') return undefined;
  if (kind !== 'given') return newGrant(target, kind);
  // One for many calls, as a caller would use it.
  target.given ??= { until: target.ctx.clock() + (GRANT_SECONDS / 2) * 1000, token: newGrant(target, kind) };
  if (target.given.until > target.ctx.clock()) return target.given.token;
  target.given = undefined;
  return grantFor(target, kind);
}

async function newGrant({ ctx, route, scope, facts }: LoopTarget, kind: CaseGrant): Promise<string> {
  const { token, grant } = await system(ctx, (ctx) =>
    // The owner's own files, to their own agent.
    mintGrant(
      { ...(kind === 'expired' ? { ...ctx, clock: () => ctx.clock() - 2 * GRANT_SECONDS * 1000 } : ctx), db: ctx.db },
      {
        userId: ctx.actor.user_id,
        audience: kind === 'foreign' ? `not-${route.agentName}`.slice(0, 60) : route.agentName,
        allow: [`${facts.folders.given}/**`],
        deny: [],
        mode: 'read_only',
        outputsPrefix: null,
        ttlSeconds: GRANT_SECONDS,
        reason: `Review loop in ${scope.folder}`,
      },
    ),
  );
  if (kind === 'revoked') await revokeGrant(ctx, { grant_id: grant.grant_id, reason: 'A review loop uses it after this' });
  return kind === 'forged' ? forged(token) : token;
}

/** Says of more files than it was signed for. */
function forged(token: string): string {
  const [payload = '', signature = ''] = token.split('.');
  const forgedPayload = (textFromBase64Url(payload) ?? '').replace('/given/**', '/**');
  return `${toBase64Url(Buffer.from(forgedPayload))}.${signature}`;
}

/** What the rules gave the run beyond its grant, without asking a person. */
async function extended({ ctx }: LoopTarget, runId: string): Promise<string[]> {
  const rows = await ctx.db('grants').where({ run_id: runId, kind: 'extend' }).limit(20).select('allow_patterns');
  return rows.flatMap(({ allow_patterns }) => allow_patterns);
}

async function runOfReceipt({ ctx, route }: LoopTarget, error: unknown, args: object, since: number): Promise<string | null> {
  const id: unknown = error instanceof DomainError ? error.details['receipt_id'] : undefined;
  if (typeof id === 'string') return (await ctx.db('receipts').where({ receipt_id: id }).first('run_id'))?.run_id ?? null;
  // Its caller left: the receipt may come a moment later, and what it cost is then not counted.
  const { rows } = await ctx.db.raw<{ rows: { run_id: string | null }[] }>(
    `select run_id from receipts where agent_id = :agent and caller_user_id = :caller and payload->>'input_sha256' = :input and receipt_id >= :since limit 1`,
    { agent: route.agentId, caller: ctx.actor.user_id, input: hashOf(args) ?? '', since: firstId('rcp', since) },
  );
  return rows[0]?.run_id ?? null;
}

/** Texts, numbers and names, a line each: what is escaped in JSON is found as it is. */
export function flatText(value: unknown): string {
  const parts: string[] = [];
  const walk = (one: unknown, depth: number): void => {
    if (parts.length > MAX_PARTS || depth > 64) return;
    if (typeof one === 'string') parts.push(one.slice(0, MAX_TEXT));
    else if (typeof one === 'number') parts.push(String(one));
    else if (Array.isArray(one)) for (const member of one) walk(member, depth + 1);
    else if (typeof one === 'object' && one !== null)
      for (const [key, member] of Object.entries(one)) {
        parts.push(key.slice(0, 200));
        walk(member, depth + 1);
      }
  };
  walk(value, 0);
  return parts.join('\n').slice(0, MAX_TEXT);
}
