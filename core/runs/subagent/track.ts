// An agent's report of a call that did not go through the platform. Shown as a report, never as something the
// platform observed.
import type { z } from 'zod';
import type { SubagentRunOut, SubagentTrackIn } from '#contract/runs/subagent-runs.ts';
import { canonicalJson } from '#contract/wire/canonical.ts';
import { checkGrant, readUncheckedGrant } from '#contract/crypto/grant-token.ts';
import type { GrantsRow } from '#db/tables.ts';
import { hashOf } from '../run/hash.ts';
import { act, done, unchanged } from '../../kernel/act.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { Conflict, Forbidden, Invalid } from '../../kernel/errors.ts';
import { type Action, may } from '../../kernel/policy.ts';
import { storableJson } from '../../kernel/storable.ts';
import { audienceKey, grantOfRow } from '../../workspace/grant/keys.ts';
import { storableArgs } from './keep.ts';
import { subagentRunOf, presentSubagentRun, type Report, reportOf } from './find.ts';

/** @throws Forbidden grant_invalid; Conflict call_reported_otherwise */
export async function trackSubagentRun(ctx: Ctx, i: SubagentTrackIn): Promise<z.infer<typeof SubagentRunOut>> {
  const grant = await recordedGrant(ctx, i.grant);
  const { state, ended_at, output_sha256, error_code } = i;
  const input_sha256 = inputOf(i);
  const args = i.args === undefined ? {} : { args: storableArgs(i.args) ?? null };
  const report: Report = { state, ended_at, input_sha256, output_sha256, error_code };
  const { grant_id, owner_id } = grant;
  return act(ctx, 'subagent_run.track', reporterUnder(grant), async (ctx) => {
    const shown = async () => presentSubagentRun(await subagentRunOf(ctx.db, grant_id));
    const made = await ctx
      .db('subagent_runs')
      .insert({
        grant_id,
        owner_id,
        agent_name: grant.audience,
        skill: i.skill,
        caller_agent: grant.issuer === owner_id ? null : grant.issuer,
        caller_run_id: grant.run_id,
        source: 'reported',
        reported: storableJson(report),
        started_at: i.started_at,
        ...args,
      })
      .onConflict('grant_id')
      .ignore()
      .returning('grant_id');
    if (made.length > 0) return done({ grant: grant_id }, { agent: grant.audience, skill: i.skill, state }, await shown());
    const known = await ctx.db('subagent_runs').where({ grant_id }).forUpdate().first();
    const before = known?.source === 'reported' ? reportOf(known) : null;
    if (!known || !before || sameReport(before, report)) return unchanged(await shown());
    if (before.state !== 'running' || known.skill !== i.skill) {
      throw new Conflict('call_reported_otherwise', 'This call was reported already, and otherwise: what was reported ended stays so', {
        state: before.state,
      });
    }
    await ctx
      .db('subagent_runs')
      .where({ grant_id })
      .update({ reported: storableJson(report), ...args });
    return done({ grant: grant_id }, { state }, await shown());
  });
}

/** Of the arguments, where they are given: what is made again is what was hashed. @throws Invalid */
function inputOf({ args, input_sha256 }: SubagentTrackIn): string | null {
  if (args === undefined) return input_sha256;
  const hash = hashOf(args);
  if (hash === undefined) throw new Invalid([{ path: ['body', 'args'], message: 'are nested too deeply to be hashed: send them flatter' }]);
  if (input_sha256 !== null && input_sha256 !== hash)
    throw new Invalid([{ path: ['body', 'input_sha256'], message: 'is not the hash of these arguments: leave it out' }]);
  return hash;
}

function sameReport(a: Report, b: Report): boolean {
  return canonicalJson(a) === canonicalJson(b);
}

/** The row of the grant in a token: ours, unaltered, and held by the actor. It may have expired. */
async function recordedGrant(ctx: Ctx, token: string): Promise<GrantsRow> {
  const uncheckedGrant = readUncheckedGrant(token);
  const checked =
    uncheckedGrant && checkGrant(token, await audienceKey(ctx, uncheckedGrant.audience), { audience: uncheckedGrant.audience, now: uncheckedGrant.issued_at });
  const row = checked?.ok ? await ctx.db('grants').where({ grant_id: checked.grant.grant_id }).first() : undefined;
  const ours = row && checked?.ok && canonicalJson(await grantOfRow(ctx, row)) === canonicalJson(checked.grant);
  if (!ours) throw notValidHere();
  return reporterUnder(row)(ctx, 'subagent_run.track');
}

/** The owner of the files; the run that delegated the grant; the agent it is addressed to. */
function reporterUnder(row: GrantsRow) {
  return ({ actor }: Pick<Ctx, 'actor'>, action: Action): GrantsRow => {
    if (!may(actor, action, { owner: row.owner_id, run: row.run_id, addressee: row.audience })) throw notValidHere();
    return row;
  };
}

function notValidHere(): Forbidden {
  return new Forbidden('grant_invalid', 'the grant is not valid here');
}
