// Reviews and upgrades in a terminal, against the real HTTP kernel.
import { beforeEach, expect, test } from 'vitest';
import { serveForTest } from '#api/http/test/serve.ts';
import { agents } from '#contract/agents/agents.ts';
import type { ReviewFindingOut } from '#contract/quality/review-runs.ts';
import { Conflict } from '#core/kernel/errors.ts';
import { EXIT } from '../lib/exit-codes.ts';
import { deploymentAt } from '../test/deployment.ts';
import { signedIn, toolAt } from '../test/signed-in.ts';

const at = '2026-11-24T04:00:00.000Z';
const id = (prefix: string, n: number): string => `${prefix}_00000000-0000-7000-8000-${String(n).padStart(12, '0')}`;
const finding: ReviewFindingOut = {
  hash: 'a'.repeat(64),
  severity: 'critical',
  rule: 'secret-token',
  path: 'agent.ts',
  line: 7,
  title: 'Secret in the source',
  message: 'This line holds a GitHub token.',
  accepted: null,
};
const script = { looks: 0, failed: true, upgrade: 'building' as 'building' | 'live' | 'current', bodies: [] as unknown[], conflicted: true };
beforeEach(() => void Object.assign(script, { looks: 0, failed: true, upgrade: 'building', bodies: [], conflicted: true }));

const review = (status: 'running' | 'failed' | 'passed') => ({
  review_id: id('rev', 1),
  agent: 'greeter',
  deploy_id: id('dep', 2),
  job_id: id('job', 3),
  ref: null,
  status,
  summary: status === 'failed' ? '1 critical' : 'Nothing found',
  findings: status === 'failed' ? [finding, { ...finding, path: null, line: null, accepted: 'a test key' }] : [],
  critical_count: status === 'failed' ? 1 : 0,
  warning_count: 0,
  info_count: 0,
  error: null,
  elapsed_ms: 5,
  created_at: at,
  started_at: at,
  ended_at: at,
});
const deployment = { ...deploymentAt(at), deploy_id: id('dep', 5), agent: 'greeter', number: 5, version: '1.0.0', job_id: id('job', 5) };
const digest = (digit: string): string => `sha256:${digit.repeat(64)}`;

function serve() {
  const { reviewRuns, latestReviewRun, reviewRun, upgradeRuntime, updateTemplate, deployment: one, deploymentStream } = agents;
  return serveForTest(
    { agents: { reviewRuns, latestReviewRun, reviewRun, upgradeRuntime, updateTemplate, deployment: one, deploymentStream } },
    {
      agents: {
        reviewRuns: () => [review('failed'), review('passed')],
        latestReviewRun: () => review((script.looks += 1) === 1 ? 'running' : script.failed ? 'failed' : 'passed'),
        reviewRun: () => review('passed'),
        upgradeRuntime(_ctx, { body }) {
          script.bodies.push(body);
          const state = body?.check === true && script.upgrade === 'building' ? 'live' : script.upgrade;
          const version = { runtime: 'r', sdk: 's' };
          return {
            name: 'greeter',
            state,
            live: version,
            newest: version,
            from_deploy_id: id('dep', 2),
            deploy_id: id('dep', 5),
            job_id: id('job', 5),
            differences: [],
          };
        },
        updateTemplate(_ctx, { body }) {
          script.bodies.push(body);
          if (body?.action === 'approve' && body.choices['agent.ts'] === undefined)
            throw new Conflict('conflicts_undecided', 'Choose ours or theirs for agent.ts');
          const conflicts = [{ path: 'agent.ts', kind: 'content' as const, merged: '<<<<<<< yours\na\n=======\nb\n>>>>>>> template 2.0.0' }];
          const isOpen = body?.action === 'update';
          return {
            name: 'greeter',
            state: isOpen
              ? ('conflicted' as const)
              : body?.action === 'approve'
                ? ('approved' as const)
                : body?.action === 'reject'
                  ? ('rejected' as const)
                  : ('applied' as const),
            template_ref: 'typescript',
            update_policy: 'notify' as const,
            from: { version: '1.0.0', digest: digest('1') },
            to: { version: '2.0.0', digest: digest('2') },
            update_id: id('tup', 1),
            changed_files: ['README.md'],
            conflicts: isOpen ? conflicts : [],
            deploy_id: id('dep', 5),
            job_id: id('job', 5),
          };
        },
        deployment: () => deployment,
        deploymentStream: async function* () {},
      },
    },
  );
}

const { tool } = await toolAt(await serve());
const run = (...argv: string[]) => tool.run(argv, signedIn);

test('review waits for its end, prints each finding with its place, and exits 1 for a critical one', async () => {
  const { code, out } = await run('review', 'greeter');
  expect(code).toBe(EXIT.failure);
  expect(out).toContain('greeter: failed, 1 critical');
  expect(out).toContain('critical  Secret in the source  secret-token\n  agent.ts:7\n  This line holds a GitHub token.');
  expect(out).toContain('  card\n  Accepted: a test key');
  script.failed = false;
  expect(await run('review', 'greeter')).toMatchObject({ code: EXIT.ok, out: expect.stringContaining('greeter: passed') });
});

test('review --list has one line each, --id shows one, --json one document', async () => {
  expect((await run('review', 'greeter', '--list')).out.trim().split('\n')).toHaveLength(2);
  expect(await run('review', 'greeter', '--id', id('rev', 1))).toMatchObject({ code: EXIT.ok });
  expect(JSON.parse((await run('review', 'greeter', '--id', id('rev', 1), '--json')).out)).toMatchObject({ status: 'passed' });
});

test('upgrade follows the deploy and says how to take it back; --check only looks', async () => {
  const done = await run('upgrade', 'greeter');
  expect(done).toMatchObject({ code: EXIT.ok, out: 'greeter is live on the newest runtime\n', err: expect.stringContaining('svc rollback greeter') });
  script.bodies = [];
  script.upgrade = 'current';
  expect(await run('upgrade', 'greeter', '--check')).toMatchObject({ code: EXIT.ok, out: 'greeter runs on the newest runtime\n' });
  expect(script.bodies).toEqual([{ check: true, force: false }]);
});

test('upgrade --template shows a conflict with both sides and the command that decides it', async () => {
  const { code, out, err } = await run('upgrade', 'greeter', '--template');
  expect(code).toBe(EXIT.ok);
  expect(out).toContain('greeter: template typescript, 1.0.0 to 2.0.0: conflicted\n  README.md\n\nConflict (content) in agent.ts\n<<<<<<< yours');
  expect(err).toContain('svc upgrade greeter --template --approve --ours agent.ts');
  expect(await run('upgrade', 'greeter', '--template', '--approve')).toMatchObject({
    code: EXIT.failure,
    err: expect.stringContaining('Choose ours or theirs'),
  });
  expect(await run('upgrade', 'greeter', '--template', '--approve', '--theirs', 'agent.ts')).toMatchObject({
    code: EXIT.ok,
    out: expect.stringContaining('applied'),
  });
  expect(script.bodies.at(-2)).toMatchObject({ action: 'approve', choices: { 'agent.ts': 'theirs' } });
  expect(await run('upgrade', 'greeter', '--template', '--reject')).toMatchObject({ code: EXIT.ok, out: expect.stringContaining('rejected') });
});

test.each([
  [['--approve'], '--template'],
  [['--template', '--force'], '--force'],
  [['--template', '--approve', '--reject'], 'one of'],
  [['--template', '--ours', 'a'], '--approve'],
  [['--template', '--approve', '--ours', 'a', '--theirs', 'a'], 'choose one'],
])('upgrade %j is refused before anything is sent', async (options, message) => {
  expect(await run('upgrade', 'greeter', ...options)).toMatchObject({ code: EXIT.usage, err: expect.stringContaining(message) });
  expect(script.bodies).toEqual([]);
});
