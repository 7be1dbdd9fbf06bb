// One decision that waits for the reader: a question, a form, a call of another agent, a wider grant. Decided
// here, once.
import { Alert, Box, Group, Paper, Text } from '@mantine/core';
import { IconCheck, IconInfoCircle } from '@tabler/icons-react';
import { useEffect } from 'react';
import { dropDraft, useDraftName } from '../../form/draft.ts';
import { Closed } from './closed.tsx';
import { explain } from '../../kit/explain.ts';
import { Failure } from '../../kit/failure.tsx';
import { Markdown } from '../../kit/markdown.tsx';
import { PageLink } from '../../kit/page-link.tsx';
import { When } from '../../kit/when.tsx';
import { HandoffApproval } from './handoff-approval.tsx';
import { QuestionForm } from './question-form.tsx';
import { Standing } from './standing.tsx';
import { ScopeApproval } from './scope-approval.tsx';
import { type Deciding, useDecision } from './use-decision.ts';
import type { Waiting } from './waiting.ts';

export type { Waiting } from './waiting.ts';

const ASKS: Record<Waiting['kind'], string> = {
  question: 'asks',
  input_request: 'needs some details',
  handoff_approval: 'wants to call another agent',
  scope_request: 'asks for access to your files',
};

export interface WaitCardProps {
  wait: Waiting;
  /** It no longer waits. */
  isClosed?: boolean;
  /** Once, when the decision was taken. */
  onDecided?: () => void;
}

export function WaitCard({ wait, isClosed = false, onDecided }: WaitCardProps) {
  const deciding = useDecision(wait, onDecided);
  const draft = useDraftName(wait.wait_id);
  const isTaken = deciding.outcome !== undefined;
  useEffect(() => {
    if (isTaken) dropDraft(draft);
  }, [isTaken, draft]);
  const { agent, skill, kind, prompt, expires_at, run_id, called_by: by = [], recipient } = wait;
  return (
    <Paper withBorder p="md" component="article" aria-label={`${agent} ${ASKS[kind]}`} data-wait={wait.wait_id} style={{ minWidth: 0 }}>
      <Group justify="space-between" gap="xs" mb="xs" align="start">
        <Text size="sm" style={{ overflowWrap: 'anywhere', flex: '1 1 12rem' }}>
          {run_id === null || recipient ? (
            // Whom others' runs ask cannot open them.
            <b>{`${agent}.${skill}`}</b>
          ) : (
            <PageLink to="/runs/$run_id" params={{ run_id }} inherit fw={600}>
              {`${agent}.${skill}`}
            </PageLink>
          )}{' '}
          {by.length === 0 ? ASKS[kind] : `(called by ${by.join(', ')}) ${ASKS[kind]}`}
        </Text>
        <Text size="xs" c="dimmed">
          ends <When at={expires_at} />
        </Text>
      </Group>
      <Box mb="sm">
        <Markdown text={prompt} />
      </Box>
      {recipient && recipient.people.length > 0 && (
        <Text size="sm" c="dimmed" mb="sm">
          Asked: {recipient.people.join(', ')}
        </Text>
      )}
      <Decision wait={wait} isClosed={isClosed} deciding={deciding} draft={draft} />
    </Paper>
  );
}

interface DecisionProps {
  wait: Waiting;
  isClosed: boolean;
  deciding: Deciding;
  draft: string;
}

function Decision({ wait, isClosed, deciding, draft }: DecisionProps) {
  const { outcome, error } = deciding;
  if (outcome) return <Decided outcome={outcome} waitId={wait.wait_id} />;
  if (wait.recipient?.you === false) return null;
  if (isClosed && !deciding.isSending) return <Closed waitId={wait.wait_id} />;
  const atFields = wait.kind !== 'handoff_approval' && error ? explain(error).issues : [];
  return (
    <>
      {wait.approval && <Standing of={wait.approval} />}
      <Body wait={wait} deciding={deciding} draft={draft} />
      {error && atFields.length === 0 && (
        <div style={{ marginTop: 12 }}>
          <Failure error={error} />
        </div>
      )}
    </>
  );
}

function Body({ wait, deciding, draft }: Omit<DecisionProps, 'isClosed'>) {
  if (wait.kind === 'scope_request') return <ScopeApproval wait={wait} deciding={deciding} />;
  if (wait.kind === 'handoff_approval') return <HandoffApproval wait={wait} deciding={deciding} />;
  return <QuestionForm wait={wait} deciding={deciding} draft={draft} />;
}

function Decided({ outcome, waitId }: { outcome: NonNullable<Deciding['outcome']>; waitId: string }) {
  if (outcome.is === 'taken')
    return (
      <Alert color="teal" icon={<IconCheck size={18} />} role="status">
        Sent. The skill continues.
      </Alert>
    );
  if (outcome.is === 'voted')
    return (
      <Alert color="teal" icon={<IconCheck size={18} />} role="status">
        Your vote is taken: {outcome.approved} of {outcome.need} have approved. The skill continues when enough have.
      </Alert>
    );
  if (outcome.is === 'closed') return <Closed waitId={waitId} tried />;
  return (
    <Alert color="gray" icon={<IconInfoCircle size={18} />} role="status">
      {outcome.says}. Your answer changed nothing.
    </Alert>
  );
}
