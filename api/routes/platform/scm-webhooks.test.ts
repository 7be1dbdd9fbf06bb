// Push events of hostings, as Forgejo and GitHub send them, against a repository that has the commit.
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { clientOf } from '#contract/client.ts';
import { sourceEditor } from '#contract/deploys/source-editor.ts';
import { verifies } from '#test/spec/verifies.ts';
import { WEBHOOK_SECRET } from '#test/support/context.ts';
import { greeterFiles } from '#test/support/project.ts';
import { forgejoPush, githubPush, type Sent } from '#test/support/webhooks/events.ts';
import { createWorld, type World } from '#test/api/world.ts';

let world: World;
let owner: string;
let name: string;
let count = 0;
let commit: string;
beforeAll(async () => void (world = await createWorld()));
afterAll(() => world.close());
beforeEach(async () => {
  name = (await world.as('ada').agents.fromSource({ body: { name: `hooked-${(count += 1)}` } })).name;
  owner = (await world.ctx.db('agents').where({ name }).first('owner_id'))?.owner_id ?? '';
  commit = await save('1.0.0');
});

/** A commit on main with a project of this version. */
async function save(version: string): Promise<string> {
  const editor = clientOf({ sourceEditor }, { baseUrl: world.url, token: world.tokens.ada }).sourceEditor;
  const blobs = new Map((await editor.files({ params: { name } })).files.map(({ path, blob }) => [path, blob]));
  const changes = Object.entries(greeterFiles(name, version)).map(([path, content]) => ({ path, content, blob: blobs.get(path) ?? null }));
  return (await editor.save({ params: { name }, body: { message: version, changes } })).commit;
}

/** As a hosting does: with a signature, and no credentials. */
async function send({ body, headers }: Sent, hook: 'source-push' | 'runtime-push' = 'source-push', more: { text?: string; token?: string } = {}) {
  const response = await fetch(`${world.url}/v1/platform/scm/webhooks/${hook}`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json', ...(more.token !== undefined && { authorization: `Bearer ${more.token}` }) },
    body: more.text ?? JSON.stringify(body),
  });
  const answer = (await response.json()) as { accepted?: boolean; reason?: string; deploy_id?: string; detail?: { code: string } };
  return { status: response.status, ...answer, code: answer.detail?.code };
}

const event = (over: object = {}) => ({ repository: `${owner}/${name}`, after: commit, ...over });
const deployments = () => world.as('ada').agents.deployments({ params: { name } });

verifies(['scmWebhooks.sourcePush', 'scmWebhooks.runtimePush'], 'deploy the pushed commit once, for any number of events from any sender', async () => {
  const forgejo = forgejoPush(event(), WEBHOOK_SECRET);
  const first = await send(forgejo);
  expect(first).toMatchObject({ status: 200, accepted: true, reason: 'deploying' });
  expect(await world.as('ada').agents.deployment({ params: { name, deploy_id: first.deploy_id ?? '' } })).toMatchObject({ source_commit: commit });
  expect(await send(forgejo)).toMatchObject({ status: 200, accepted: false, reason: 'replayed' });
  // Its id is not signed: the same body under another one is the same event.
  expect(await send({ ...forgejo, headers: { ...forgejo.headers, 'x-forgejo-delivery': 'another' } })).toMatchObject({ reason: 'replayed' });
  expect(await send(githubPush(event(), WEBHOOK_SECRET), 'runtime-push')).toMatchObject({ reason: 'already_deployed' });
  commit = await save('1.1.0');
  expect(await send(githubPush(event(), WEBHOOK_SECRET), 'runtime-push')).toMatchObject({ accepted: true });
  expect(await deployments()).toHaveLength(2);
  expect(await world.ctx.db('audit_log').where({ action: 'source.webhook' })).toHaveLength(2);
  const racing = githubPush(event({ after: (commit = await save('1.2.0')) }), WEBHOOK_SECRET);
  const all = await Promise.all(Array.from({ length: 5 }, async () => send(racing)));
  expect(all.filter(({ accepted }) => accepted)).toHaveLength(1);
});

test('what is signed otherwise, altered, too large or no event is refused', async () => {
  const sent = githubPush(event(), WEBHOOK_SECRET);
  expect(await send(githubPush(event(), 'another secret'))).toMatchObject({ status: 403, code: 'webhook_signature_invalid' });
  expect(await send(sent, 'source-push', { text: `${JSON.stringify(sent.body)} ` })).toMatchObject({ status: 403 });
  const unsigned = { ...sent, headers: { 'x-github-event': 'push', 'x-github-delivery': '1' } };
  expect(await send(unsigned)).toMatchObject({ status: 401, code: 'unauthenticated' });
  expect(await send(unsigned, 'source-push', { token: world.tokens.platform })).toMatchObject({ status: 403, code: 'webhook_signature_invalid' });
  expect(await send({ ...sent, headers: { ...sent.headers, 'x-hub-signature-256': '' } })).toMatchObject({ status: 403, code: 'webhook_signature_invalid' });
  expect(await send(sent, 'source-push', { text: 'x'.repeat(1024 * 1024 + 1) })).toMatchObject({ status: 413 });
  expect(await send(sent, 'source-push', { token: world.tokens.ada })).toMatchObject({ status: 403, code: 'wrong_scope' });
  const { 'x-github-delivery': _, ...anonymous } = sent.headers;
  expect(await send({ ...sent, headers: anonymous })).toMatchObject({ status: 400, code: 'webhook_invalid' });
  expect(await send({ ...sent, headers: { ...sent.headers, 'x-github-event': 'ping' } })).toMatchObject({ status: 200, reason: 'not_a_push' });
  expect(await deployments()).toEqual([]);
});

test('other branches, deleted ones, old events, other repositories and unknown commits deploy nothing', async () => {
  const reasons: [object, string][] = [
    [{ ref: 'refs/heads/side' }, 'other_branch'],
    [{ ref: 'refs/tags/main' }, 'other_branch'],
    [{ after: '0'.repeat(40) }, 'deleted'],
    [{ at: Date.now() - 48 * 3_600_000 }, 'too_old'],
  ];
  for (const make of [forgejoPush, githubPush])
    for (const [over, reason] of reasons) expect(await send(make(event(over), WEBHOOK_SECRET)), reason).toMatchObject({ status: 200, accepted: false, reason });
  for (const repository of [`${owner}/no-such`, `usr_none/${name}`, `${owner}/${name}/x`, name])
    expect(await send(githubPush(event({ repository }), WEBHOOK_SECRET)), repository).toMatchObject({ status: 404, code: 'repository_not_found' });
  expect(await send(githubPush(event({ after: 'b'.repeat(40) }), WEBHOOK_SECRET))).toMatchObject({ status: 404, code: 'commit_not_found' });
  expect(await deployments()).toEqual([]);
});
