// What hosts ask before a guest's connection opens: whether the policies it is held to let it reach that
// host. Asked of the run that is open in the machine, where that is one, else of the agent. A refusal is
// recorded as any other; a rule that asks a person refuses, since a connection cannot wait for one.
import type { Knex } from 'knex';
import type { NetworkAnswer, NetworkQuestion } from '#drivers/runtime/port.ts';
import { memoizeByKey } from '../../kernel/batch.ts';
import type { Ctx, RunActor } from '../../kernel/ctx.ts';
import { processKey } from '../../kernel/settings.ts';
import { accountsOf } from '../../policy/accounts.ts';
import { checkPolicy, type PolicyQuestion } from '../../policy/check.ts';
import type { RulePrincipal } from '../../policy/cedar/request.ts';
import { anyNetworkRules, rulesOf } from '../../policy/cedar/rules.ts';
import { recordDenial } from '../../policy/deny.ts';
import { policyOf } from '../../policy/known.ts';
import type { Denial } from '../../policy/model.ts';
import { onlyRunIn, runById } from './machine-run.ts';

/** How long a host is waited for that has no question. */
const WAIT_MS = 1_000;
const MAX_CACHED_VERDICTS = 20_000;
/** Rules may look at the time: what they said is asked again after that. */
const BELIEVED_MS = 60_000;

interface Guest {
  principal: RulePrincipal;
  run: RunActor | undefined;
  agent: string;
  accounts: string[];
}

/** Null: allowed. By the hashes of all policies that were asked, so that a changed policy is asked again. */
const verdictCacheOf = memoizeByKey((_process: object) => new Map<string, { denial: Denial | null; until: number }>());

/** Until the host has no question for a while. Resolves with how many were answered. */
export async function answerHost(ctx: Ctx, waitMs = WAIT_MS): Promise<number> {
  let answers: NetworkAnswer[] = [];
  let answered = 0;
  for (;;) {
    const ask = await anyNetworkRules(ctx.db);
    const questions = await ctx.drivers.runtime.networkQuestions({ ask, answers, wait_ms: answers.length > 0 ? 0 : waitMs });
    answered += answers.length;
    if (questions.length === 0) return answered;
    answers = await Promise.all(questions.map((question) => answerOf(ctx, question)));
  }
}

async function answerOf(ctx: Ctx, { question_id, guest: id, host, port }: NetworkQuestion): Promise<NetworkAnswer> {
  const guest = await guestOf(ctx.db, id);
  const no = (why: string): NetworkAnswer => ({ question_id, allowed: false, reason: `${host}:${port} is refused: ${why}`.slice(0, 2_000) });
  if (!guest) return no('the machine is not known to the platform any more');
  const denial = await denialOf(ctx, guest, { host, port });
  if (!denial) return { question_id, allowed: true, reason: '' };
  const { run, agent } = guest;
  await recordDenial(ctx, denial, run ?? { run_id: null, agent_name: agent, job_id: null });
  return no(`${denial.message} (policy_denied: ${denial.rule})`);
}

async function denialOf(ctx: Ctx, guest: Guest, { host, port }: { host: string; port: number }): Promise<Denial | null> {
  const { run, principal, accounts } = guest;
  const hashes = await Promise.all(accounts.map(async (id) => [(await rulesOf(ctx.db, id))?.hash, (await policyOf(ctx.db, id))?.sha256]));
  const cache = verdictCacheOf(processKey(ctx.db));
  const key = JSON.stringify([hashes, accounts, principal, host, port]);
  const known = cache.get(key);
  if (known && known.until > performance.now()) return known.denial;
  const question: PolicyQuestion = { action: 'egress', accounts, principal, resource: { type: 'Host', host, port }, leaves: true };
  const verdict = await checkPolicy(run ? { ...ctx, actor: run } : ctx, question);
  const denial = verdict.outcome === 'allow' ? null : refusing(verdict.denial);
  const oldest = cache.size >= MAX_CACHED_VERDICTS ? cache.keys().next().value : undefined;
  if (oldest !== undefined) cache.delete(oldest);
  cache.delete(key);
  cache.set(key, { denial, until: performance.now() + BELIEVED_MS });
  return denial;
}

function refusing(denial: Denial): Denial {
  if (denial.outcome === 'deny') return denial;
  return { ...denial, outcome: 'deny', message: `${denial.message}, and a connection cannot wait for a person: it is refused` };
}

async function guestOf(db: Knex, id: string): Promise<Guest | undefined> {
  const machine = await db('instances as i')
    .join('agents as a', 'a.agent_id', 'i.agent_id')
    .where({ 'i.instance_id': id })
    .whereNot({ 'i.state': 'stopped' })
    .first('i.deploy_id', 'a.name', 'a.owner_id', 'a.visibility');
  if (machine) return guest(db, machine, await onlyRunIn(db, machine));
  const sandbox = await db('sandboxes as s')
    .join('agents as a', 'a.agent_id', 's.agent_id')
    .where({ 's.sandbox_id': id })
    .first('s.run_id', 'a.name', 'a.owner_id', 'a.visibility');
  return sandbox && guest(db, sandbox, sandbox.run_id === null ? undefined : await runById(db, sandbox.run_id));
}

async function guest(db: Knex, { name, owner_id, visibility }: { name: string; owner_id: string; visibility: string }, run: RunActor | undefined) {
  if (!run) return { principal: { type: 'Agent' as const, name, owner: owner_id, listed: visibility === 'public' }, run, agent: name, accounts: [owner_id] };
  const { run_id, agent_name, skill, chain, user_id } = run;
  const principal = { type: 'Run' as const, id: run_id, agent: agent_name, owner: run.owner_id, skill, depth: chain.length, caller: user_id };
  return { principal, run, agent: name, accounts: await accountsOf(db, run) };
}
