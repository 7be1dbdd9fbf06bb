// Approve, or deny and say why.
import { Button, Group, TextInput } from '@mantine/core';
import { useState, type FormEvent } from 'react';
import type { Deciding } from './use-decision.ts';
import { useVoter } from './use-voter.tsx';
import type { Approval } from './waiting.ts';

/** @param isKnown what is asked for is shown: nobody approves what they do not see */
export function Verdict({ deciding, isKnown = true, approval }: { deciding: Deciding; isKnown?: boolean; approval: Approval | undefined }) {
  const [isDenying, setDenying] = useState(false);
  const [reason, setReason] = useState('');
  const voting = useVoter(approval);
  const deny = (event: FormEvent): void => {
    event.preventDefault();
    deciding.decide({ decision: 'deny', reason, ...voting.as });
  };
  if (approval && !approval.may_vote) return null;
  if (!isDenying)
    return (
      <Group gap="xs" mt="md" align="end">
        {voting.choice}
        <Button variant="filled" disabled={!isKnown} loading={deciding.isSending} onClick={() => deciding.decide({ decision: 'approve', ...voting.as })}>
          Approve
        </Button>
        <Button variant="default" disabled={deciding.isSending} onClick={() => setDenying(true)}>
          Deny
        </Button>
      </Group>
    );
  return (
    <form onSubmit={deny}>
      <Group gap="xs" mt="md" align="end">
        <TextInput
          data-autofocus
          autoFocus
          style={{ flex: '1 1 14rem' }}
          label="Why not?"
          description="Sent to the skill; may be left empty."
          maxLength={2_000}
          dir="auto"
          value={reason}
          onChange={(event) => setReason(event.currentTarget.value)}
        />
        <Button variant="default" onClick={() => setDenying(false)} disabled={deciding.isSending}>
          Back
        </Button>
        <Button type="submit" color="red" loading={deciding.isSending}>
          Deny
        </Button>
      </Group>
    </form>
  );
}
