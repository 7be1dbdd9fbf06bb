// A new conversation, and one that is there.
import { Alert, Anchor, Button, Group, Stack, Switch, Text } from '@mantine/core';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import { Failure } from '../../kit/failure.tsx';
import { Page } from '../../kit/page.tsx';
import { Composer } from './composer.tsx';
import { Entries } from './entries.tsx';
import { type HandoffRule, HandoffsChoice } from './handoffs.tsx';
import { ModelHint, useHasModel } from './model-hint.tsx';
import { ThreadActions } from './thread-actions.tsx';
import { Threads } from './threads.tsx';
import { useConversation } from './use-conversation.ts';
import { useEnd } from './use-end.ts';
import { type Sent, useSending } from './use-sending.ts';
import { useThread } from './use-thread.ts';
import styles from './chat.module.css';

const begin = getRouteApi('/chat');
const one = getRouteApi('/chat/$thread_id');

export function NewChat() {
  const { archived = false } = begin.useSearch();
  const navigate = useNavigate();
  const hasModel = useHasModel();
  const [handoffs, setHandoffs] = useState<HandoffRule>('ask_foreign');
  return (
    <div className={styles.frame}>
      <Threads archived={archived} current={null} />
      <Page title="Chat" lead="Say what you need. Agents do it, ask you where they must, and the conversation keeps what they made.">
        {!hasModel && <ModelHint />}
        <Stack gap={4}>
          <Text size="sm">
            Name a skill: <code>{'@agent.skill {"argument": "value"}'}</code>
          </Text>
          <Text size="sm">
            Several, one after the other: <code>@a.read then @b.write {'{"text": "$1.result"}'}</code>
          </Text>
          <Text size="sm">
            Find agents to name:{' '}
            <Anchor component={Link} to="/agents" underline="always" inherit>
              search
            </Anchor>
            , or type <code>@</code> below.
          </Text>
        </Stack>
        <Saying
          threadId={null}
          hasModel={hasModel}
          handoffs={handoffs}
          onSent={({ thread_id }) => void navigate({ to: '/chat/$thread_id', params: { thread_id } })}
        >
          <HandoffsChoice value={handoffs} onChange={setHandoffs} />
        </Saying>
      </Page>
    </div>
  );
}

export function Chat() {
  const { thread_id } = one.useParams();
  const { archived = false } = one.useSearch();
  return (
    <div className={styles.frame} data-open>
      <Threads archived={archived} current={thread_id} />
      <Talk key={thread_id} threadId={thread_id} />
    </div>
  );
}

function Talk({ threadId }: { threadId: string }) {
  const thread = useThread(threadId);
  const hasModel = useHasModel();
  const { conversation, state, error, showEarlier, isLoadingEarlier } = useConversation(threadId);
  const { keepingPlace } = useEnd(conversation.lastSeq);
  return (
    <Page title={thread?.title ?? 'Conversation'} crumbs={[{ label: 'Chat', to: '/chat' }]} actions={thread && <ThreadActions thread={thread} />}>
      <h2 className={styles.unseen}>Messages</h2>
      {showEarlier && (
        <Group justify="center">
          <Button variant="default" size="xs" loading={isLoadingEarlier} onClick={() => void keepingPlace(showEarlier)}>
            Show earlier messages
          </Button>
        </Group>
      )}
      <Entries conversation={conversation} threadId={threadId} />
      {state === 'waiting' && (
        <Alert color="orange" p="xs" role="status">
          The connection is lost. It is tried again; nothing that happens meanwhile is missed.
        </Alert>
      )}
      {error && <Failure error={error} />}
      <Saying threadId={threadId} hasModel={hasModel} />
    </Page>
  );
}

interface SayingProps {
  threadId: string | null;
  hasModel: boolean;
  handoffs?: HandoffRule;
  onSent?: (sent: Sent) => void;
  children?: ReactNode;
}

function Saying({ threadId, hasModel, handoffs, onSent, children }: SayingProps) {
  const [model, setModel] = useState(true);
  const sending = useSending((sent) => onSent?.(sent));
  return (
    <Composer
      threadId={threadId}
      error={sending.error}
      isSending={sending.isPending}
      onSend={(message, sent) =>
        sending.mutate(
          { message, ...(threadId === null ? { handoffs } : { thread_id: threadId }), ...(hasModel && !model && { model: false }) },
          { onSuccess: sent },
        )
      }
    >
      {hasModel && <Switch size="xs" label="Use the language model" checked={model} onChange={({ currentTarget }) => setModel(currentTarget.checked)} />}
      {children}
    </Composer>
  );
}
