// Runs that ended, and what belongs to them: files, conversations, plans, schedules, scores.
import { eventually, type Play, ran, when } from '../play.ts';

export async function runs(play: Play): Promise<void> {
  const { ada, ben } = play.people;
  await files(play);
  const echoed = await ran(play, 'harbour', 'echo', { text: 'low water' });
  await ran(play, 'harbour', 'keep', {});
  await ran(play, 'harbour', 'model', { prompt: 'When is high water?' });
  await ran(play, 'harbour', 'relay', { text: 'to the quay' });
  await ran(play, 'pilot', 'guide', { text: 'home' }, ['succeeded'], ben);
  await ran(play, 'lighthouse', 'say_it', { text: 'flash' });
  await (await ada.api.agents.invoke({ params: { name: 'harbour', skill_name: 'echo' }, body: { text: 'by call' } })).text();
  await (await ada.api.agents.postEndpoint({ params: { name: 'harbour', endpoint_name: 'tide' }, body: { text: 'by endpoint' } })).text();
  await ran(play, 'pilot', 'guide', { text: 'aground' }, ['failed']);
  await session(play);
  await granted(play);
  await conversation(play);
  await scores(play, echoed);
  await schedules(play);
}

async function files(play: Play): Promise<void> {
  const { api } = play.people.ada;
  for (const [path, text] of [
    ['tides/today.md', '# Tides\n\nHigh water at six'],
    ['tides/old.md', 'Low water at noon'],
  ] as const) {
    const body = new FormData();
    body.set('path', path);
    body.set('file', new Blob([text], { type: 'text/markdown' }), path.split('/').at(-1));
    await api.files.upload({ body });
  }
  await api.files.move({ body: { from: 'tides/old.md', to: 'archive/old.md' } });
  const part = Buffer.from('half of a chart');
  const metadata = `path ${Buffer.from('charts/chart.bin').toString('base64')}`;
  const headers = { 'tus-resumable': '1.0.0' as const, 'upload-length': String(part.length * 2), 'upload-metadata': metadata };
  const made = await api.fileUploads.create({ headers });
  const upload_id = 'upload_id' in made ? String(made.upload_id) : String((await api.fileUploads.list({ query: {} })).items[0]?.upload_id);
  await api.fileUploads.append({
    params: { upload_id },
    headers: { 'tus-resumable': '1.0.0', 'upload-offset': '0', 'content-type': 'application/offset+octet-stream' },
    body: part,
  });
}

async function session(play: Play): Promise<void> {
  const { agentSessions } = play.people.ada.api;
  await agentSessions.start({ params: { name: 'harbour' }, body: { skill: 'echo', args: { text: 'in a session' } } });
}

/** A patch of a granted file, and a call that was reported under its grant. */
async function granted(play: Play): Promise<void> {
  const { api } = play.people.ada;
  const { token } = await api.workspaceGrants.delegate({
    body: { audience: 'harbour', allow_patterns: ['tides/**'], mode: 'read_write_overlay', outputs_prefix: 'tides' },
  });
  const { run_id } = await api.agents.startRun({
    params: { name: 'harbour', skill_name: 'write' },
    headers: { 'svc-grant': token },
    body: { path: 'tides/log.md' },
  });
  await eventually('a run that writes', async () => {
    const run: unknown = await (await api.agents.run({ params: { name: 'harbour', run_id } })).json();
    return when(true, ['succeeded', 'failed'].includes(String(Object(run).state)));
  });
  const at = new Date().toISOString();
  await api.subagentRuns.track({ body: { grant: token, skill: 'echo', state: 'succeeded', started_at: at, ended_at: at, args: { text: 'elsewhere' } } });
}

async function conversation(play: Play): Promise<void> {
  const { api } = play.people.ada;
  const { thread_id } = await api.chatThreads.create({ body: { title: 'Tides' } });
  await api.chat.send({ body: { thread_id, message: '@harbour.echo {"text": "from a conversation"}' } });
  await api.chat.send({ body: { thread_id, message: '@fleet.run {"text": "Bring the ship in"}' } });
}

async function scores(play: Play, run_id: string): Promise<void> {
  const { ada, ben } = play.people;
  const params = { name: 'harbour' };
  await ada.api.evaluations.putRule({ params: { ...params, rule: 'fast' }, body: { check: { kind: 'latency', max_ms: 60_000 }, sample: 1 } });
  await ada.api.evaluations.putThumb({ params: { run_id }, body: { up: true, comment: 'Just in time' } });
  await ben.api.evaluations.consent({ params: { agent: 'harbour' } });
  await ran(play, 'harbour', 'echo', { text: 'from Ben' }, ['succeeded'], ben);
  await ran(play, 'harbour', 'echo', { text: 'scored' });
  await ada.api.evaluations.addItems({
    params: { ...params, dataset: 'tides' },
    body: { items: [{ skill: 'echo', args: { text: 'a case' }, expected: { text: 'a case' } }] },
  });
  await ada.api.evaluations.evaluate({ params: { ...params, dataset: 'tides' } });
}

async function schedules(play: Play): Promise<void> {
  const { api } = play.people.ada;
  const target = { kind: 'skill' as const, agent: 'harbour', skill: 'echo', args: { text: 'every minute' } };
  const often = await api.schedules.create({ body: { title: 'Tide table', cron: '* * * * *', target, overlap: 'skip', catchup_window_seconds: 10 } });
  const yearly = await api.schedules.create({ body: { cron: '0 4 1 1 *', target } });
  await api.schedules.run({ params: { schedule_id: yearly.schedule_id } });
  play.notes.schedules.push(often.schedule_id, yearly.schedule_id);
}
