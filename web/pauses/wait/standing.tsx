// How a decision stands that several members of an organization take: who has voted, who is missing, what
// happens at the end of its time.
import { Group, Paper, Progress, Text } from '@mantine/core';
import { IconCheck, IconX } from '@tabler/icons-react';
import type { Approval } from './waiting.ts';

type Person = Approval['missing'][number];
const MOST_NAMED = 8;

export function Standing({ of }: { of: Approval }) {
  const { rule, need, approved, role, votes, missing, at_deadline: end, stage, voted, may_vote } = of;
  return (
    <Paper bg="var(--mantine-color-default-hover)" p="sm" mb="sm" component="section" aria-label="Votes">
      <Group justify="space-between" gap="xs">
        <Text size="sm" fw={600}>
          {approved} of {need} have approved
        </Text>
        <Text size="xs" c="dimmed">
          Rule <code>{rule}</code>
          {stage > 1 && ', escalated'}
        </Text>
      </Group>
      <Progress value={(approved / need) * 100} size="sm" my={6} color="teal" aria-label={`${approved} of ${need} have approved`} />
      {votes.map((vote) => (
        <Group key={`${vote.by.user_id} ${vote.at}`} gap={6} wrap="nowrap" align="start">
          {vote.decision === 'approve' ? <IconCheck size={16} aria-label="approved" /> : <IconX size={16} aria-label="denied" />}
          <Text size="sm" style={{ overflowWrap: 'anywhere' }} {...(!vote.counts && { c: 'dimmed' })}>
            {named(vote.by)}
            {vote.for && ` for ${named(vote.for)}`}
            {!vote.counts && ': does not count any more, since they left or have another role'}
          </Text>
        </Group>
      ))}
      {missing.length > 0 && (
        <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
          {role === null ? 'Missing' : `May approve, as ${role}`}: {list(missing)}
        </Text>
      )}
      <Text size="xs" c="dimmed" mt={4}>
        One denial ends it. Without enough approvals in time {end === 'deny' ? 'it is denied' : 'others are asked'}.
        {voted !== null && ` You have ${voted === 'approve' ? 'approved' : 'denied'}.`}
        {voted === null && !may_vote && ' Others are asked: you do not vote on this.'}
      </Text>
    </Paper>
  );
}

function list(people: readonly Person[]): string {
  const more = people.length - MOST_NAMED;
  return people.slice(0, MOST_NAMED).map(named).join(', ') + (more > 0 ? ` and ${more} more` : '');
}

function named({ email, user_id }: Person): string {
  return email ?? user_id;
}
