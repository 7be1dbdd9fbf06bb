// Sentences of the specification about grants, proven over HTTP through the typed client.
import { afterAll, beforeAll, expect } from 'vitest';
import { verifies } from '#test/spec/verifies.ts';
import { createWorld, type World } from '#test/api/world.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world.close());

const refused = (status: number) => expect.objectContaining({ status });
const give = (who: 'ada' | 'ben', body: object = {}) => world.as(who).workspaceGrants.delegate({ body: { audience: world.records['name'] ?? '', ...body } });

verifies(
  'workspaceGrants.delegate',
  'a user gives an agent access to their own files: a grant and its token, once, without exposing the platform key',
  async () => {
    const { grant, token } = await give('ada', { allow_patterns: ['docs/**'], ttl_seconds: 60 });
    expect(grant).toMatchObject({ audience: world.records['name'], allow_patterns: ['docs/**'], deny_patterns: [], mode: 'read_only', outputs_prefix: null });
    expect(grant.expires_at - grant.issued_at).toBe(60);
    expect(token).toMatch(/^[\w-]+\.[\w-]{43}$/);
    const row = await world.as('ada').grants.get({ params: { grant_id: grant.grant_id } });
    expect(row).toMatchObject({ kind: 'mint', state: 'active', issuer: grant.issuer, extensions: [], truncated: false });
    expect(JSON.stringify([row, await world.as('ada').grants.list({})])).not.toContain(token.split('.')[1]);
    expect(world.logs.join('\n')).not.toContain(token.split('.')[1]);
  },
);

verifies('workspaceGrants.delegate', "defaults are the specification's: all paths, read-only, 300 seconds", async () => {
  const { grant } = await give('ada');
  expect(grant).toMatchObject({ allow_patterns: ['**'], mode: 'read_only' });
  expect(grant.expires_at - grant.issued_at).toBe(300);
});

verifies('workspaceGrants.delegate', 'an invisible agent is 404; invalid patterns are reported with their path', async () => {
  await expect(give('ben')).rejects.toEqual(refused(404));
  await expect(give('ada', { audience: 'nobody-at-all' })).rejects.toEqual(refused(404));
  for (const body of [{ allow_patterns: ['../x'] }, { deny_patterns: ['a**'] }, { outputs_prefix: '/etc' }, { ttl_seconds: 0 }, { mode: 'admin' }]) {
    await expect(give('ada', body), JSON.stringify(body)).rejects.toEqual(refused(422));
  }
});

verifies('workspaceGrants.list', 'a bad signature or a grant of somebody else is 403, and nothing more is said', async () => {
  const { token } = await give('ada');
  const files = (who: 'ada' | 'ben', held: string) => world.as(who).workspaceGrants.list({ headers: { 'svc-grant': held } });
  expect((await files('ada', token)).items).not.toEqual([]);
  expect((await files('ada', (await give('ada', { allow_patterns: ['nowhere/**'] })).token)).items).toEqual([]);
  const invalid = expect.objectContaining({ status: 403, code: 'grant_invalid' });
  await expect(files('ben', token)).rejects.toEqual(invalid);
  await expect(files('ada', `${token.slice(0, -1)}${token.endsWith('A') ? 'B' : 'A'}`)).rejects.toEqual(invalid);
  await expect(files('ada', 'x')).rejects.toEqual(invalid);
  const logged = world.logs.join('\n');
  for (const fault of ['not_the_owner', 'bad_signature', 'wrong_audience']) expect(logged).toContain(`"fault":"${fault}"`);
  expect(logged).not.toContain(token.split('.')[0]);
});

verifies('grants.list', 'most recent grant rows, only those of the caller', async () => {
  const made = [(await give('ada')).grant.grant_id, (await give('ada')).grant.grant_id];
  const first = await world.as('ada').grants.list({ query: { limit: 1 } });
  expect(first.items).toHaveLength(1);
  const rest = await world.as('ada').grants.list({ query: { limit: 200, cursor: first.next_cursor ?? '' } });
  expect([...first.items, ...rest.items].slice(0, 2).map(({ grant_id }) => grant_id).sort()).toEqual(made.sort()); // prettier-ignore
  expect((await world.as('ben').grants.list({})).items).toEqual([]);
  await expect(world.as('ada').grants.list({ query: { cursor: 'junk' } })).rejects.toEqual(refused(400));
});

verifies(['grants.get', 'audit.grants'], "another user's grant does not exist", async () => {
  const { grant } = await give('ada');
  await expect(world.as('ben').grants.get({ params: { grant_id: grant.grant_id } })).rejects.toEqual(refused(404));
});
