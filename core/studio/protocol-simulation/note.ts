// What participants of a rehearsal say of it, and runs that are asked for while it is open.
import type { z } from 'zod';
import { MAX_NOTES, PARTICIPANT_EVENTS, type ProtocolEventIn, type ScenarioRunIn, type ScenarioRunOut } from '#contract/studio/protocol-simulations.ts';
import { appendEvent } from '../../jobs/append-event.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { Conflict, Forbidden, NotFound } from '../../kernel/errors.ts';
import { act, done } from '../../kernel/act.ts';
import { claimsToApply } from './claims.ts';
import { scenariosOf, simulationById } from './find.ts';
import { presentScenarioRuns } from './present.ts';

const PREFIX = 'participant.';

/** @throws Forbidden claims_to_apply; Conflict simulation_ended, too_many_notes */
export async function addNote(ctx: Ctx, i: { name: string; job_id: string } & z.infer<typeof ProtocolEventIn>): Promise<{ job_id: string; seq: number }> {
  const { kind, participant, message, scenario, payload } = i;
  return act(ctx, 'rehearsal.note', simulationById(i), async (ctx, { row }) => {
    const claim = claimsToApply({ kind, message, payload });
    if (claim !== undefined)
      throw new Forbidden('claims_to_apply', `A rehearsal changes nothing live, and this note says otherwise (${claim}): propose the change instead`);
    if (row.ended_at !== null) throw ended(i);
    const [notes] = await ctx
      .db('job_events')
      .where({ job_id: row.job_id })
      .whereIn(
        'kind',
        PARTICIPANT_EVENTS.map((one) => PREFIX + one),
      )
      .count<{ count: string }[]>('* as count');
    if (Number(notes?.count ?? 0) >= MAX_NOTES)
      throw new Conflict('too_many_notes', `A rehearsal takes ${MAX_NOTES} notes: put what is left into the last one's message`);
    const seq = await appendEvent(ctx.db, row.job_id, PREFIX + kind, { participant, message, scenario: scenario ?? null, payload, proposal_only: true });
    if (seq === undefined) throw ended(i);
    return done({ job: row.job_id }, { kind }, { job_id: row.job_id, seq });
  });
}

/** @throws NotFound scenario_not_found; Conflict simulation_ended, too_many_episodes */
export async function addScenario(ctx: Ctx, i: { name: string; job_id: string } & z.infer<typeof ScenarioRunIn>): Promise<ScenarioRunOut> {
  return act(ctx, 'rehearsal.start', simulationById(i), async (ctx, { row }) => {
    if (row.closed_at !== null || row.ended_at !== null) throw ended(i);
    const known = scenariosOf(row).map(({ scenario }) => scenario);
    if (!known.includes(i.scenario)) throw new NotFound('scenario_not_found', `The suite has no scenario ${i.scenario}; it has ${known.join(', ')}`);
    const last = await ctx.db('protocol_scenario_runs').where({ job_id: row.job_id }).max<{ max: number | null }[]>('position as max');
    const position = (last[0]?.max ?? 0) + 1;
    if (position > row.max_episodes) throw new Conflict('too_many_episodes', `This rehearsal takes ${row.max_episodes} scenario runs: start another one`);
    const [run] = await ctx
      .db('protocol_scenario_runs')
      .insert({ job_id: row.job_id, position, scenario: i.scenario, seed: i.seed, state: 'queued' })
      .returning('*');
    await appendEvent(ctx.db, row.job_id, 'scenario_added', { scenario: i.scenario, position, seed: i.seed });
    const [shown] = presentScenarioRuns(row, run ? [run] : []);
    if (!shown) throw new Error('a scenario run was not written');
    return done({ job: row.job_id }, { scenario: i.scenario, position }, shown);
  });
}

function ended({ name, job_id }: { name: string; job_id: string }): Conflict {
  return new Conflict('simulation_ended', `${job_id} of ${name} has ended or is ending: start another rehearsal`);
}
