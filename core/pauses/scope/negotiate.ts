// A request for access, decided by the rules or by a person. Its outcome is one row: a repeated request gets
// the same one.
import type { z } from 'zod';
import type { AccessOut, FileMatch } from '#contract/run/run-context.ts';
import type { AgentCard, WorkspaceMode } from '#contract/wire/card.ts';
import { isPattern, isPrefix, patternOfPrefix } from '#contract/wire/patterns.ts';
import type { WaitsRow } from '#db/tables.ts';
import type { Ctx, RunActor, TxCtx } from '../../kernel/ctx.ts';
import { Conflict, Invalid } from '../../kernel/errors.ts';
import { storableJson, storableText } from '../../kernel/storable.ts';
import { together } from '../../kernel/act.ts';
import { accountsOf } from '../../policy/accounts.ts';
import { checkPolicy } from '../../policy/check.ts';
import { recordDenial } from '../../policy/deny.ts';
import { bucketOf } from '../../workspace/grant/bucket.ts';
import { type VerifiedGrant, verifyGrant } from '../../workspace/grant/verify.ts';
import { ensureRun, requireRun } from '../../kernel/ensure-run.ts';
import { isOwnLine } from './own-line.ts';
import { writeWaitOutcome, type Decided } from '../wait/write-outcome.ts';
import { resolutionOf, type ScopeRequest, scopeRequestOf } from '../wait/model.ts';
import { openWait } from '../wait/open.ts';
import { presentWait } from '../wait/present.ts';
import { scopeVerdict, type ScopeVerdict } from './decide.ts';
import { grantScopeRequest } from '../wait/grant-request.ts';

export type Access = z.infer<typeof AccessOut>;
type Match = z.infer<typeof FileMatch>;

export interface Negotiation {
  requestId: string;
  card: AgentCard;
  held: VerifiedGrant | null;
  reason: string;
  read: readonly string[];
  writePrefix: string | null;
  mode: WorkspaceMode;
  ttlSeconds: number;
  timeoutSeconds: number;
  /** Chosen files instead of patterns; a grant to write then names only these. */
  files: readonly Match[] | null;
}

/** What became of the same request before; undefined when it is new. @throws Conflict wait_id_taken */
export async function knownAccess(ctx: Ctx, requestId: string): Promise<Access | undefined> {
  const row = await ctx.db('waits').where({ wait_id: requestId }).first();
  if (!row) return undefined;
  if (row.run_id !== requireRun(ctx).run_id || row.kind !== 'scope_request')
    throw new Conflict('wait_id_taken', `${requestId} belongs to another request: use a new id for each`);
  return presentAccess(ctx, row);
}

export async function grantOfToken(ctx: Ctx, token: string | null): Promise<VerifiedGrant | null> {
  return token === null ? null : verifyGrant(ctx, token);
}

export async function negotiate(ctx: Ctx, i: Negotiation): Promise<Access> {
  checkPatterns(i);
  const run = requireRun(ctx);
  const who = { user: run.user_id === null ? null : { id: run.user_id, bucket: bucketOf(run.user_id) }, own: await isOwnLine(ctx.db, run) };
  const requestedScope = { ...i, negotiated: i.files !== null, totalBytes: (i.files ?? []).reduce((sum, file) => sum + file.size_bytes, 0) };
  const currentGrant = i.held && { ...i.held.grant, ...(startsAnew(i) ? { deny_patterns: [] } : {}) };
  const verdict: Ruled = await underPolicy(ctx, run, i, scopeVerdict(requestedScope, currentGrant, i.card.workspace_access, who));
  if (run.user_id === null) return { state: 'denied', request_id: i.requestId, reason: verdict.verdict === 'deny' ? verdict.reason : '', files: [] };
  const stored = storedRequest(i, verdict, bucketOf(run.user_id));
  const row = await together(ctx, (ctx) =>
    verdict.verdict === 'ask' ? ask(ctx, run, i, { request: stored, byPolicy: verdict.byPolicy === true }) : resolveAtOnce(ctx, i, stored, verdict),
  );
  return presentAccess(ctx, row);
}

/** `byPolicy`: a rule of the account asks, where those of the platform would not. */
type Ruled = ScopeVerdict & { byPolicy?: true };

/**
 * What the rules would give, as far as the accounts' policies let it be given: refused there it is refused,
 * and where a person decides, no rule does.
 */
async function underPolicy(ctx: Ctx, run: RunActor, i: Negotiation, verdict: ScopeVerdict): Promise<Ruled> {
  if (verdict.verdict === 'deny' || run.user_id === null) return verdict;
  const accounts = await accountsOf(ctx.db, run);
  const wanted = {
    id: '',
    issuer: run.user_id,
    audience: run.agent_name,
    mode: i.mode,
    expires_in_s: i.ttlSeconds,
    allow_patterns: i.read,
    deny_patterns: [],
    outputs_prefix: i.writePrefix,
  };
  const policyVerdict = await checkPolicy(ctx, {
    action: 'expand_scope',
    accounts,
    resource: { type: 'Agent', name: run.agent_name },
    agent: run.agent_name,
    context: { grant: wanted },
  });
  if (policyVerdict.outcome === 'allow') return verdict;
  await recordDenial(ctx, policyVerdict.denial);
  return policyVerdict.outcome === 'ask'
    ? { verdict: 'ask', deny: verdict.deny, byPolicy: true }
    : { verdict: 'deny', code: 'policy_denied', reason: policyVerdict.denial.message };
}

function checkPatterns({ read, writePrefix }: Negotiation): void {
  const issues = read.flatMap((pattern, at) => (isPattern(pattern) ? [] : [{ path: ['body', 'read', at], message: 'is not a pattern of paths' }]));
  if (writePrefix !== null && !isPrefix(writePrefix)) issues.push({ path: ['body', 'write_prefix'], message: 'is not a folder' });
  if (issues.length > 0) throw new Invalid(issues);
}

function storedRequest(i: Negotiation, verdict: ScopeVerdict, bucket: string): ScopeRequest {
  const { held } = i;
  return {
    bucket,
    grant_id: startsAnew(i) ? null : (held?.row.grant_id ?? null),
    old: held && { allow_patterns: held.grant.allow_patterns, mode: held.grant.mode, outputs_prefix: held.grant.outputs_prefix },
    read: [...i.read],
    write_prefix: i.writePrefix,
    mode: i.writePrefix === null ? i.mode : 'read_write_overlay',
    ttl_seconds: i.ttlSeconds,
    deny_patterns: verdict.verdict === 'deny' ? [] : [...verdict.deny].filter(isPattern),
    reason: i.reason,
    files: [...(i.files ?? [])],
  };
}

/** A grant to write chosen files must not make writable what the one held only shows. */
function startsAnew({ files, mode }: Negotiation): boolean {
  return files !== null && mode === 'read_write_overlay';
}

function ask(ctx: TxCtx, run: RunActor, i: Negotiation, { request, byPolicy }: { request: ScopeRequest; byPolicy: boolean }): Promise<WaitsRow> {
  const { read, write_prefix, mode } = request;
  // Without a folder, what may be read becomes writable too: those of the grant that it extends are then
  // among what is asked for.
  const before = mode === 'read_write_overlay' && write_prefix === null ? (request.old?.allow_patterns ?? []) : [];
  const paths = [...read, ...before, ...(write_prefix === null ? [] : [patternOfPrefix(write_prefix)])];
  const prompt = promptOf(run, request);
  const approval = { subject: 'scope_request' as const, byPolicy, paths };
  return openWait(ctx, { waitId: i.requestId, kind: 'scope_request', prompt, request, timeoutSeconds: i.timeoutSeconds, approval });
}

/**
 * The request as text; the card shows the same from `request`. One line of the platform, then the agent's
 * reason in quotes.
 */
function promptOf(run: Pick<RunActor, 'agent_name' | 'skill'>, asked: ScopeRequest): string {
  const wanted = [...(asked.read.length > 0 ? [`read ${asked.read.join(', ')}`] : []), ...(asked.mode === 'read_only' ? [] : [`write ${writableIn(asked)}`])];
  const reason = oneLine(asked.reason);
  return `${run.agent_name} (${run.skill}) asks to ${wanted.join(' and to ')}, for ${asked.ttl_seconds} s. ${reason === '' ? 'It gives no reason.' : `Its reason: “${reason}”`}`;
}

/** As it will be minted: without a folder, all files that may then be read become writable. */
function writableIn({ write_prefix, grant_id, old, read }: ScopeRequest): string {
  if (write_prefix !== null) return `below ${write_prefix}`;
  const all = grant_id === null || old === null ? read : [...new Set([...old.allow_patterns, ...read])];
  return all.length === read.length ? 'there' : `everywhere it may read then: ${all.join(', ')}`;
}

/** Removes line breaks and characters that turn the direction of writing. */
function oneLine(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\s\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]+/gu, ' ')
    .replaceAll(/[“”]/g, '"')
    .trim();
}

async function resolveAtOnce(ctx: TxCtx, i: Negotiation, asked: ScopeRequest, verdict: ScopeVerdict): Promise<WaitsRow> {
  const run = await ensureRun(ctx);
  const now = new Date(ctx.clock()).toISOString();
  const [row] = await ctx
    .db('waits')
    .insert({
      wait_id: i.requestId,
      kind: 'scope_request',
      state: 'pending',
      run_id: run.run_id,
      job_id: run.job_id,
      thread_id: run.thread_id,
      agent_id: run.agent_id,
      agent_name: run.agent_name,
      skill: run.skill,
      asked_of: run.user_id ?? '',
      prompt: storableText(promptOf(run, asked)),
      request: storableJson(asked),
      expires_at: now,
      delivered_at: now,
    })
    .onConflict('wait_id')
    .ignore()
    .returning('*');
  if (!row) throw new Conflict('wait_id_taken', `${i.requestId} is being decided already: read its state`);
  const denied = verdict.verdict === 'deny';
  const decided: Decided = denied ? { state: 'denied', resolution: { reason: verdict.reason } } : await grantScopeRequest(ctx, row);
  const facts = { by: 'rules', agent: run.agent_name, read: asked.read, ...(denied ? { code: verdict.code } : {}) };
  return writeWaitOutcome(ctx, row, decided, { person: null, facts });
}

/** The agent gets names and summaries of files once it may read them, or if it is the user's own. */
async function presentAccess(ctx: Ctx, row: WaitsRow): Promise<Access> {
  const state = row.state;
  const scopeRequest = scopeRequestOf(row);
  const request_id = row.wait_id;
  const files = state === 'approved' || (await isOwnLine(ctx.db, requireRun(ctx))) ? scopeRequest.files : [];
  if (state === 'pending') return { state, request_id, expires_at: row.expires_at.toISOString(), files };
  const token = state === 'approved' ? (await presentWait(ctx, row)).grant_token : undefined;
  if (token !== undefined) return { state: 'approved', request_id, grant_token: token, files };
  return { state: 'denied', request_id, reason: resolutionOf(row).reason ?? `no decision in time (${state})`, files: [] };
}
