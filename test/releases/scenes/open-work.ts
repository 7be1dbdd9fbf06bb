// What is not over when the fixture is made: runs that wait for a person, a team at a gate, a run that works.
import { eventually, type Play, ran } from '../play.ts';

export async function openWork(play: Play): Promise<void> {
  await gate(play);
  play.notes.running = { run_id: await ran(play, 'harbour', 'watch', {}, ['running']), agent: 'harbour' };
}

/** Early: what has waited for some minutes is told by mail. */
export async function waits(play: Play): Promise<void> {
  await play.people.ada.api.inbox.setNotifications({ body: { mail: true } });
  const begun: [skill: string, args: Record<string, unknown>][] = [
    ['ask', { what: 'quay' }],
    ['form', {}],
    ['scope', {}],
  ];
  for (const [skill, args] of begun) {
    const run_id = await ran(play, 'harbour', skill, args, ['waiting']);
    const { wait_id } = await waitOf(play, (wait) => wait.run_id === run_id);
    play.notes.waits.push({ wait_id, run_id, agent: 'harbour' });
  }
}

async function gate(play: Play): Promise<void> {
  const { collectiveRuntime } = play.people.ada.api;
  const members = [
    { role: 'writer', agent: 'harbour', skill: 'toil' },
    { role: 'checker', agent: 'pilot', skill: 'toil' },
  ];
  const plan = await collectiveRuntime.plan({ body: { goal: 'Count the lights', protocol: 'docs_update', members, risk: 'medium' } });
  const { dag_run_id } = await collectiveRuntime.start({ body: { plan_id: plan.plan_id } });
  await eventually('a gate', async () => (await collectiveRuntime.run({ params: { dag_run_id } })).gates[0]);
  play.notes.gate = { dag_run_id };
}

type Wait = Awaited<ReturnType<Play['people']['ada']['api']['inbox']['waits']>>['items'][number];

async function waitOf(play: Play, is: (wait: Wait) => boolean): Promise<Wait> {
  return eventually('somebody to be asked', async () => (await play.people.ada.api.inbox.waits({ query: {} })).items.find(is));
}
