import { expect, test } from 'vitest';
import { judgeProject } from './judge.ts';
import type { ReviewRule } from './rule.ts';
import { project } from './test/project.ts';

const skills = [{ id: 'greet', name: 'greet', description: 'Greets.', input_schema: {}, output_schema: { type: 'string' } }];
const review = (text: string, rules?: readonly ReviewRule[]) => judgeProject(project({ files: { 'agent.ts': text }, card: { skills } }), rules);

test('a project without a fault passes; warnings and critical findings decide the verdict', async () => {
  expect(await review('export {};')).toMatchObject({ state: 'passed', summary: 'Nothing found', findings: [] });
  expect(await review('eval(code)')).toMatchObject({ state: 'warning', counts: { critical: 0, warning: 1 } });
  const key = `'${'AK'}IA${'K7QX2MZ5RW3TN6JH'}'`;
  expect(await review(`eval(code)\nconst a = ${key};`)).toMatchObject({
    state: 'failed',
    summary: '1 critical, 1 warning',
    findings: [{ rule: 'secret-token' }, {}],
  });
});

test('the hash stays when the line moves, and changes with the message, the path, the rule', async () => {
  const [before] = (await review('eval(code)')).findings;
  const [after] = (await review('\n\n\neval(code)')).findings;
  expect([before?.line, after?.line]).toEqual([1, 4]);
  expect(after?.hash).toBe(before?.hash);
  expect(before?.hash).toMatch(/^[0-9a-f]{64}$/);
  expect((await review('spawn(x, { shell: true })')).findings[0]?.hash).not.toBe(before?.hash);
});

test('a comment with the rule and a reason accepts a finding, on its line or the one before', async () => {
  const accepted = { state: 'passed', summary: 'Nothing found; 1 accepted', findings: [{ accepted: 'the text is ours' }] };
  expect(await review('eval(code) // svc-accept: risky-code the text is ours')).toMatchObject(accepted);
  expect(await review('/* svc-accept: risky-code the text is ours */\neval(code)')).toMatchObject(accepted);
  for (const text of [
    'eval(code) // svc-accept: risky-code',
    'eval(code) // svc-accept: secret-token it is fine',
    '// svc-accept: risky-code early\n\neval(code)',
  ]) {
    expect(await review(text)).toMatchObject({ state: 'warning', findings: [{ accepted: null }] });
  }
});

test('a project full of findings gives a bounded verdict that says what is left out', async () => {
  const noisy: ReviewRule[] = Array.from({ length: 6 }, (_, at) => ({
    id: `noisy-${at}`,
    *find() {
      for (let line = 1; line <= 70; line += 1) yield { severity: 'info', path: 'agent.ts', line, title: 'x', message: `x ${line}` };
    },
  }));
  const { findings, summary } = await review('', noisy);
  expect(findings).toHaveLength(200);
  expect(summary).toBe('300 info; 220 more are not shown');
});
