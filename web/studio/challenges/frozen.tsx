// Said wherever an agent is promoted: that a finding keeps it from that.
import { Alert, Text } from '@mantine/core';
import { useRead } from '../../api/query.ts';
import { PageLink } from '../../kit/page-link.tsx';

/** The finding that freezes the agent; null: none does. */
export function useFreezing(name: string): string | null {
  return useRead('findings', 'list', { params: { name }, query: { limit: 1 } }).frozen_by;
}

export function Frozen({ name }: { name: string }) {
  const by = useFreezing(name);
  if (by === null) return null;
  return (
    <Alert color="red" title="Publishing is blocked" variant="light">
      <Text size="sm">
        An open critical finding keeps this agent from being published and upgraded until{' '}
        <PageLink to="/agents/mine/$name/challenges" params={{ name }} inherit c="var(--mantine-color-text)" underline="always">
          it is answered
        </PageLink>
        : <code>{by}</code>
      </Text>
    </Alert>
  );
}
