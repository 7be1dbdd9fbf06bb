import { expect, test } from 'vitest';
import { followers } from './followers.ts';

test('who follows what', () => {
  const lines = Object.entries(followers).flatMap(([area, all]: [string, readonly { name: string }[]]) =>
    all.map(({ name, ...on }) => `${area}: ${name} on ${Object.keys(on).join(', ')}`),
  );
  expect(lines).toEqual([
    'agents: source tokens on deleted',
    'agents: mailboxes on deleted',
    'agents: domains on deleted',
    'agents: deployments on deleted, restart',
    'agents: repairs on secretSet',
    'threads: jobs on deleted',
    'waits: durable runs on opening',
    'jobs: schedules on ended',
    'jobs: mail on ended',
    'jobs: chat on ended',
    'jobs: proofs on ended',
    'runs: scores on answered',
  ]);
});
