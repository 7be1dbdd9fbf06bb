// What the pages of rules share.
import { Text } from '@mantine/core';
import type { PolicyAction } from '#contract/states.ts';
import type { Output } from '../../api/client.ts';
import { Under } from '../../kit/list.tsx';
import { PageLink } from '../../kit/page-link.tsx';
import { Subpages } from '../../kit/subpages.tsx';

export type Decision = Output<'policy', 'decisions'>['items'][number];

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

/** The agent, and its run; or the person. */
export function Who({ of: { principal, agent } }: { of: Pick<Decision, 'principal' | 'agent'> }) {
  return (
    <div style={{ minWidth: '8rem' }}>
      <Text size="sm" style={{ overflowWrap: 'anywhere' }} dir="auto">
        {agent ?? 'A person'}
      </Text>
      {principal.type === 'Run' ? (
        <PageLink to="/runs/$run_id" params={{ run_id: principal.id }} size="xs">
          Run
        </PageLink>
      ) : (
        agent === null && <Under>{principal.id}</Under>
      )}
    </div>
  );
}

/** "Host api.example.com" */
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
