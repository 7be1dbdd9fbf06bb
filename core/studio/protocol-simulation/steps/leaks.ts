// Looks for planted secrets, and for tokens and keys, in everything that the rehearsal has written.
import { apiKeyContext } from '../../../agents/route/resolve.ts';
import { secretNames } from '../stage/open.ts';
import { canaryOf } from '../stage/model.ts';
import type { Play, StepHandler } from './play.ts';

/**
 * Names of tables and what of them is text; all of it is our own. `:user` is the account of the stage,
 * `:agent` the double, `:job` the rehearsal.
 */
const PLACES: Readonly<Record<string, string>> = {
  events: `select payload::text as t from job_events where job_id = :job or job_id in (select job_id from jobs where owner_id = :user)`,
  jobs: `select concat_ws(' ', title, input, output, error) as t from jobs where owner_id = :user or job_id = :job`,
  runs: `select concat_ws(' ', r.args, r.skill) as t from runs r where r.user_id = :user`,
  receipts: `select payload::text as t from receipts where agent_id = :agent`,
  audit: `select details::text as t from audit_log where owner_id = :user`,
  waits: `select w::text as t from waits w where w.asked_of = :user`,
  spans: `select s::text as t from spans s where s.owner_id = :user`,
  scenarios: `select concat_ws(' ', events, observed, broken) as t from protocol_scenario_runs where job_id = :job`,
};
const LOG_LINES = 2_000;

export const leaks: StepHandler<'leaks'> = async (play) => {
  const { secrets, tokens } = await wanted(play);
  const hits = { secrets: new Set<string>(), tokens: new Set<string>() };
  const { db } = play.ctx;
  const of = { user: play.stage.userId, agent: play.stage.agent.agentId, job: play.stage.jobId };
  for (const [place, sql] of Object.entries(PLACES)) {
    for (const [kind, needles] of [
      ['secrets', secrets],
      ['tokens', tokens],
    ] as const) {
      const { rows } = await db.raw<{ rows: { hit: boolean }[] }>(
        `select exists (select 1 from (${sql}) p, unnest(:needles::text[]) n where strpos(p.t, n) > 0) as hit`,
        { ...of, needles: [...needles] },
      );
      if (rows[0]?.hit) hits[kind].add(place);
    }
  }
  const log = (await play.ctx.drivers.runtime.logs(play.stage.instanceId, { limit: LOG_LINES })).map(({ text }) => text).join('\n');
  if (secrets.some((needle) => log.includes(needle))) hits.secrets.add('the log of its machine');
  if (tokens.some((needle) => log.includes(needle))) hits.tokens.add('the log of its machine');
  const places = [...hits.secrets, ...hits.tokens];
  return {
    outcome: 'accepted',
    facts: { secrets: hits.secrets.size, tokens: hits.tokens.size },
    ...(places.length > 0 && { observed: `found in ${[...new Set(places)].join(', ')}` }),
  };
};

/** The signature of a token is what makes it one. */
async function wanted({ ctx, stage, tokens }: Play): Promise<{ secrets: string[]; tokens: string[] }> {
  const row = await ctx.db('protocol_simulations').where({ job_id: stage.jobId }).first('agent_id', 'deploy_id');
  const names = row ? await secretNames(ctx.db, row) : [];
  const setup = (stage.card.consumer_setup ?? []).map(({ name }) => `setup/${name}`);
  const instance = await ctx.db('instances').where({ instance_id: stage.instanceId }).first('api_key_sealed');
  const apiKey = instance && Buffer.from(await ctx.drivers.vault.open(instance.api_key_sealed, apiKeyContext(stage.instanceId))).toString();
  const signatures = tokens.flatMap((token) => token.split('.')[1] ?? []);
  return {
    secrets: await Promise.all([...names, ...setup].map((name) => canaryOf(ctx, stage.jobId, name))),
    tokens: [...signatures, ...(apiKey ? [apiKey] : []), 'svc_run_'],
  };
}
