// Records that show in lists, and that only valid calls need: what these use up, and what they show to
// everybody.
import { randomUUID } from 'node:crypto';
import type { CallOptions } from '#contract/client.ts';
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
  const edited = await editedByApi(ada);
  world.calls['sourceEditor.deploy'] = { body: { commit: edited.commit } };
  return {
    ...edited.params,
    'agents.delete.name': (await ada.agents.register({ body: { name: 'spare' } })).name,
    'llmCreds.remove.name': 'spare',
    'subagentRuns.rerun.grant_id': call.grant_id,
  };
}

/** An agent with files in its repository. */
export async function editedByApi(api: ReturnType<World['as']>, more?: CallOptions): Promise<{ params: Record<string, string>; commit: string }> {
  const { name } = await api.agents.fromSource({ body: { name: `edited-${randomUUID().slice(0, 8)}` } }, more);
  const files = Object.entries(greeterFiles(name)).map(([path, content]) => ({ path, content, blob: null }));
  const { commit } = await api.sourceEditor.save({ params: { name }, body: { message: 'Greet', changes: files } }, more);
  const names = ['files', 'file', 'save', 'deploy', 'createToken'].map((route) => [`sourceEditor.${route}.name`, name]);
  return { params: { ...Object.fromEntries(names), 'sourceEditor.file.path': files[0]?.path ?? '' }, commit };
}
