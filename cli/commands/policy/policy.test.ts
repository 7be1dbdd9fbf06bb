// svc policy, against the real routes on a real database.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, test, vi } from 'vitest';
import { serveForTest } from '#api/http/test/serve.ts';
import { policyRuleRoutes } from '#api/routes/policy/policy-rules.ts';
import { policyRules } from '#contract/policy/policy-rules.ts';
import type { Ctx } from '#core/kernel/ctx.ts';
import { decideByRules } from '#core/policy/cedar/decide.ts';
import { EXIT } from '../../lib/exit-codes.ts';
import { signedIn, toolAt } from '../../test/signed-in.ts';

const { api, tool } = await toolAt(await serveForTest({ policy: policyRules }, { policy: policyRuleRoutes }));
const svc = (...argv: string[]) => tool.run(['policy', ...argv], signedIn);
const at = (name: string): string => join(tool.home, name);
const fileOf = async (name: string, text: string): Promise<string> => {
  await writeFile(at(name), text);
  return at(name);
};
const NO_EXAMPLE = '// No mail of theirs.\n@id("no-example")\nforbid(principal, action == Action::"egress", resource in Host::"example.com");\n';

beforeAll(() => api.db('users').insert({ user_id: 'usr_ada', issuer: 'test', subject: 'ada', email: 'ada@svc.local' }));

async function opened(host: string): Promise<string | undefined> {
  // Safe: rules need the database and the clock alone.
  const ctx = { db: api.db, clock: Date.now } as Ctx;
  const decided = await decideByRules(ctx, {
    accountId: 'usr_ada',
    principal: { type: 'User', id: 'usr_ada' },
    action: 'egress',
    resource: { type: 'Host', host },
    context: {},
  });
  return decided?.outcome;
}

test('rules are pushed and hold, tried over what was decided, and pulled as they were', async () => {
  expect((await svc('rules')).err).toContain('has no rules');
  const rules = await fileOf('rules.cedar', NO_EXAMPLE);
  expect(await svc('rules', 'validate', rules)).toMatchObject({ code: EXIT.ok, out: expect.stringContaining('1 policies are valid') });
  expect((await svc('test', rules)).err).toContain('No decisions are kept yet');
  expect(await svc('rules', 'push', rules, '--if-version', '0')).toMatchObject({ code: EXIT.ok, out: 'Version 1 holds: 1 policies.\n' });
  expect((await svc('rules', 'push', rules, '--if-version', '0')).code).toBe(EXIT.failure);
  expect([await opened('api.example.com'), await opened('example.org')]).toEqual(['deny', 'allow']);
  await vi.waitFor(async () => expect(await api.db('policy_decisions')).toHaveLength(2));

  const shown = await svc('rules');
  expect(shown.out).toMatch(/^Version 1, 1 policies; where none matches: allow; kept: all decisions\./);
  expect(shown.out).toMatch(/no-example +forbid\(principal, action == Action::"egress"/);
  await svc('rules', 'pull', at('pulled.cedar'));
  expect(await readFile(at('pulled.cedar'), 'utf8')).toBe(NO_EXAMPLE);

  const orgOnly = await fileOf('org.cedar', '// default: deny\n@id("only-org") permit(principal, action in Action::"egress", resource in Host::"org");\n');
  const tried = await svc('test', orgOnly);
  expect([tried.code, tried.out, tried.err]).toEqual([EXIT.ok, 'None of the last 2 decisions would change.\n', '']);
  const none = await fileOf('none.cedar', '');
  const changed = await svc('test', none, '--fail-on-change');
  expect(changed.code).toBe(EXIT.failure);
  expect(changed.out).toContain('This would change 1 of the last 2 decisions: 1 from deny to allow.');
  expect(changed.out).toMatch(/egress +User usr_ada +Host api\.example\.com +deny -> allow +default_allow/);
  expect((await svc('test', none)).code).toBe(EXIT.ok);
  expect(JSON.parse((await svc('test', none, '--json')).out)).toMatchObject({ tested: 2, changed: 1 });

  const denied = await svc('decisions', '--outcome', 'deny');
  expect(denied.out).toMatch(/deny +egress +User usr_ada +Host api\.example\.com +no-example +pdc_/);
  expect(denied.out.split('\n')).toHaveLength(3);
  expect((await svc('decisions', '--action', 'dance')).code).toBe(EXIT.usage);

  expect((await svc('rules', 'push', orgOnly, '--record-allowed', 'no')).out).toContain('Version 2');
  expect((await svc('rules')).out).toContain('where none matches: deny; kept: denials and questions');
  expect((await svc('rules', 'pull')).out).toMatch(/^\/\/ default: deny\n\n@id\("only-org"\)/);
  expect((await svc('rules', 'pull', '--version', '1')).out).toBe(NO_EXAMPLE);
});

test('what is wrong is said with its place in the file, and nothing is saved', async () => {
  const before = (await svc('rules')).out;
  const wrong = await fileOf('wrong.cedar', `${NO_EXAMPLE}\n@id("late")\nforbid(principal, action, resource)\n  when { context.time.hou > 20 };\n`);
  for (const verb of [['rules', 'validate'], ['rules', 'push'], ['test']]) {
    const ran = await svc(...verb, wrong);
    expect([ran.code, ran.out]).toEqual([EXIT.failure, '']);
    expect(ran.err).toMatch(/wrong\.cedar:7:10: late: .*hou/);
    expect(ran.err).toContain('nothing was saved');
  }
  const unnamed = await svc('rules', 'push', await fileOf('unnamed.cedar', 'permit(principal, action, resource);'));
  expect(unnamed.err).toContain('unnamed.cedar:1:1: This policy has no name');
  expect((await svc('rules', 'push', at('missing.cedar'))).code).toBe(EXIT.usage);
  const never = await svc('rules', 'validate', await fileOf('never.cedar', '@id("never") forbid(principal, action == Action::"egress", resource is Path);'));
  expect(never.err).toMatch(/never\.cedar:1:1: never: .*\(a warning\)/);
  expect((await svc('rules')).out).toBe(before);
});
