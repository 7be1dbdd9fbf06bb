// What the pages of rules share.
import { Text } from '@mantine/core';
import type { PolicyAction } from '#contract/states.ts';
import type { Output } from '../../api/client.ts';
import { Subpages } from '../../kit/subpages.tsx';

export type Decision = Output<'policyRules', 'decisions'>['items'][number];

export const ACTION_WORDS: Record<PolicyAction, string> = {
  handoff: 'call an agent',
  grant: 'give access to files',
  write_file: 'write a file',
  egress: 'open a connection',
  expand_scope: 'widen a grant',
  spend: 'spend',
  publish: 'publish',
  deploy: 'deploy',
};

export function PolicyTabs() {
  return (
    <Subpages
      label="Rules for agents"
      pages={[
        { label: 'Rules', to: '/policy' },
        { label: 'Decisions', to: '/policy/decisions' },
      ]}
    />
  );
}

/** "Run run_…" */
export function Entity({ of: { type, id } }: { of: Decision['principal'] }) {
  return (
    <Text size="sm" style={{ overflowWrap: 'anywhere' }} dir="auto">
      <Text span c="dimmed" size="sm">
        {type}
      </Text>{' '}
      {id}
    </Text>
  );
}
