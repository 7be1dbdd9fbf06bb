// Trial rooms: one with a contestant that has answered, one that takes contestants.
import { TrialRoomIn } from '#contract/studio/trial-rooms.ts';
import { closeCase } from '#core/studio/trial-room/close-case.ts';
import { createRoom } from '#core/studio/trial-room/create.ts';
import { endTrial } from '#core/studio/trial-room/end.ts';
import { startRuns } from '#core/studio/trial-room/run.ts';
import type { AreaRecords, Owner } from './area.ts';

export async function trialRecords({ ctx, agent }: Owner): Promise<AreaRecords> {
  const rooms = ['totals', 'totals-of-mails', 'totals-decided'];
  const runs: string[] = [];
  for (const slug of rooms) {
    await createRoom(ctx, TrialRoomIn.parse({ title: `Read ${slug.replaceAll('-', ' ')}`, slug, goal: 'Read the total of an invoice', cases: [{ name: 'plain', inputs: { text: 'Total: 5' }, facts: ['5'] }] })); // prettier-ignore
    const { items } = await startRuns(ctx, { slug, contestants: [{ agent: agent.name, skill: 'greet' }] });
    for (const { run_id } of items) {
      runs.push(run_id);
      const row = await ctx.db('trial_runs').where({ run_id }).first('run_id', 'job_id');
      if (!row) throw new Error('a run was not written');
      await closeCase(ctx, row, 1, { output: { total: 5 }, parts: [{ part: 'facts', weight: 20, score: 1, reason: null }], ms: 12, costMicros: 0 });
      await endTrial(ctx, row.job_id ?? '');
    }
  }
  const [shown = '', rated = '', selected = ''] = rooms;
  const [, ofRated = '', ofSelected = ''] = runs;
  const params = {
    'trialRooms.get.slug': shown,
    'trialRooms.run.slug': shown,
    'trialRooms.rate.slug': rated,
    'trialRooms.rate.run_id': ofRated,
    'trialRooms.select.slug': selected,
    'trialRooms.select.run_id': ofSelected,
  };
  const calls = {
    'trialRooms.create': { body: { title: 'Another', goal: 'Read it' } },
    'trialRooms.run': { body: { contestants: [{ agent: agent.name, skill: 'greet' }] } },
    'trialRooms.rate': { body: { score: 80 } },
    'trialRooms.select': { body: { reason: 'It is right' } },
  };
  return { params, calls };
}
