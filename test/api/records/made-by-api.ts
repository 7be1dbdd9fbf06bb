// Records that show in lists, and that only valid calls need: what these use up, and what they show to everybody.
import { greeterFiles } from '../../support/project.ts';
import type { World } from '../world.ts';

/** By `<route>.<parameter>`. */
export async function madeByApi(world: World): Promise<Record<string, string>> {
  const ada = world.as('ada');
  const name = world.records['name'] ?? '';
  const body = { provider: 'openai' as const, api_key: 'sk-example-0123456789' };
  await ada.llmCreds.put({ body: { ...body, name: 'spare' } });
  await ada.agents.setVisibility({ params: { name }, body: { visibility: 'public' } });
  const { token: grant } = await ada.workspaceGrants.delegate({ body: { audience: name } });
  const ended = { state: 'succeeded' as const, started_at: '2026-01-02T03:04:05.006Z', ended_at: '2026-01-02T03:04:06.006Z' };
  const call = await ada.subagentRuns.track({ body: { ...ended, grant, skill: 'greet', args: {} } });
  const { name: edited } = await ada.agents.fromSource({ body: { name: 'edited' } });
  const files = Object.entries(greeterFiles(edited)).map(([path, content]) => ({ path, content, blob: null }));
  const { commit } = await ada.sourceEditor.save({ params: { name: edited }, body: { message: 'Greet', changes: files } });
  world.calls['sourceEditor.deploy'] = { body: { commit } };
  return {
    ...Object.fromEntries(['files', 'file', 'save', 'deploy', 'createToken'].map((route) => [`sourceEditor.${route}.name`, edited])),
    'sourceEditor.file.path': files[0]?.path ?? '',
    'agents.delete.name': (await ada.agents.register({ body: { name: 'spare' } })).name,
    'llmCreds.remove.name': 'spare',
    'subagentRuns.rerun.grant_id': call.grant_id,
  };
}
