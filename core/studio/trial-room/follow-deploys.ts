// Rooms that are regression suites: a new version of a contestant runs when it becomes live. In a decided
// room, only of the selected one.
import { MAX_TRIAL_RUNS } from '#contract/studio/trial-rooms.ts';
import { together } from '../../kernel/act.ts';
import type { Ctx, UserActor } from '../../kernel/ctx.ts';
import { DomainError } from '../../kernel/errors.ts';
import { addTrialRun, agentContestant } from './run.ts';
import { mapIn } from './row.ts';

interface Due {
  room_id: string;
  run_id: string;
}

export async function followDeploys(ctx: Ctx): Promise<void> {
  const { rows } = await ctx.db.raw<{ rows: Due[] }>(
    `select distinct on (t.room_id, t.agent_id, t.skill) t.room_id, t.run_id
     from trial_rooms r join trial_runs t using (room_id) join agents a on a.agent_id = t.agent_id
     where r.on_deploy and a.owner_id = r.owner_id and a.live_deploy_id is not null and a.deleted_at is null
       and not exists (select 1 from trial_runs o where o.room_id = t.room_id and o.agent_id = t.agent_id and o.skill = t.skill and o.deploy_id = a.live_deploy_id)
       and (r.decision is null or exists (
         select 1 from trial_runs c where c.run_id = r.decision->>'run_id' and c.agent_id = t.agent_id and c.skill = t.skill))
     order by t.room_id, t.agent_id, t.skill, t.number desc limit 50`,
  );
  for (const due of rows) await begin(ctx, due);
}

async function begin(ctx: Ctx, { room_id, run_id }: Due): Promise<void> {
  try {
    // agentContestant asks whether the owner of the room may; the row is written at the end of the run.
    await together(ctx, async (ctx) => {
      const room = await ctx.db('trial_rooms').where({ room_id }).forUpdate().first();
      const last = await ctx.db('trial_runs').where({ run_id }).first();
      if (!room || last?.agent_name == null) return;
      const actor: UserActor = { kind: 'user', user_id: room.owner_id, email: '', operator: false, via: 'bearer' };
      const contestant = await agentContestant(ctx.db, actor, { agent: last.agent_name, skill: last.skill ?? undefined, map: mapIn(last) });
      // Another worker was first.
      const known = await ctx
        .db('trial_runs')
        .where({ room_id, agent_id: last.agent_id, skill: last.skill, deploy_id: contestant.deploy_id ?? null })
        .first('run_id');
      if (known) return;
      const existingRuns = await ctx.db('trial_runs').where({ room_id }).orderBy('number').select('run_id', 'trigger', 'ended_at');
      // The oldest makes room: a suite goes on for as long as its agent is deployed.
      const oldest = existingRuns.find(({ trigger, ended_at }) => trigger === 'deploy' && ended_at !== null);
      if (existingRuns.length >= MAX_TRIAL_RUNS && !oldest) return;
      if (existingRuns.length >= MAX_TRIAL_RUNS && oldest) await ctx.db('trial_runs').where({ run_id: oldest.run_id }).delete();
      await addTrialRun(ctx, room, contestant, 'deploy');
    });
  } catch (error) {
    // Without the skill, or not callable any more: there is nothing to run.
    if (!(error instanceof DomainError)) throw error;
  }
}
