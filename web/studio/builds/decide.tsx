// Accept or reject a proposal. Accepted, it is done by its owner, or carried out by a language model of
// theirs.
import { Group, Paper, Stack, Textarea } from '@mantine/core';
import { useState } from 'react';
import type { Output } from '../../api/client.ts';
import { useSend } from '../../api/query.ts';
import { Action, AskingAction } from '../../kit/action.tsx';
import { Failure } from '../../kit/failure.tsx';
import { Section } from '../../kit/page.tsx';
import { type ModelValue, ModelFields } from './model-fields.tsx';

/** No change of the source does these. */
const NO_EDIT = ['unused', 'drift'];

export function Decide({ proposal: { proposal_id, agent, category } }: { proposal: Output<'agentStudio', 'proposal'> }) {
  const [reason, setReason] = useState('');
  const [model, setModel] = useState<ModelValue>({ writes: false, credential: '', dollars: 5 });
  const send = useSend('agentStudio', 'decide', {
    quiet: true,
    done: ({ state }) => (state === 'accepted' ? 'Accepted.' : 'Rejected.'),
    refresh: ['agentStudio'],
  });
  const decide = (decision: 'accept' | 'reject'): void =>
    send.mutate({
      params: { proposal_id },
      body: {
        decision,
        reason: reason.trim(),
        ...(decision === 'accept' &&
          model.writes && {
            carry_out: { budget_cents: Math.round(model.dollars * 100), model: model.credential === '' ? {} : { credential: model.credential } },
          }),
      },
    });
  return (
    <Section title="Your decision">
      <Paper withBorder p="md" maw={640}>
        <Stack gap="sm">
          <Textarea
            label="Reason"
            description="It is kept with the proposal. You may leave it empty."
            autosize
            minRows={2}
            maxRows={8}
            maxLength={2000}
            dir="auto"
            value={reason}
            onChange={({ currentTarget }) => setReason(currentTarget.value)}
          />
          {!NO_EDIT.includes(category) && (
            <ModelFields
              value={model}
              onChange={(part) => setModel((now) => ({ ...now, ...part }))}
              least={1}
              most={30}
              label={`Let a language model of mine change ${agent}`}
              description="Off: you do it yourself."
              without="You do it yourself. With a language model of yours it could be done for you."
            />
          )}
          {send.error && <Failure error={send.error} />}
          <Group justify="end">
            <Action label="Reject" loading={send.isPending} onAct={() => decide('reject')} />
            {model.writes ? (
              <AskingAction label="Accept and carry out" variant="filled" question={`Change ${agent}?`} loading={send.isPending} onAct={() => decide('accept')}>
                A run of the studio writes, checks, reviews and deploys it, for ${model.dollars.toFixed(2)} at most.
              </AskingAction>
            ) : (
              <Action label="Accept" variant="filled" loading={send.isPending} onAct={() => decide('accept')} />
            )}
          </Group>
        </Stack>
      </Paper>
    </Section>
  );
}
