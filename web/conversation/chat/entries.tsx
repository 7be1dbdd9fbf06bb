// All that a conversation shows, one after the other.
import { Alert, Group, Loader, Text } from '@mantine/core';
import { memo } from 'react';
import { Json } from '../../kit/code.tsx';
import { Markdown } from '../../kit/markdown.tsx';
import { When } from '../../kit/when.tsx';
import { WaitCard } from '../../pauses/wait/wait-card.tsx';
import { CandidateForms } from './candidates.tsx';
import { type WaitEntry, type Conversation, type Entry, type Message, openWaits } from './conversation.ts';
import { PlanCard } from './plan-card.tsx';
import { FaultShown } from './refusal.tsx';
import { RunCard } from './run-card.tsx';
import { jsonIn } from './words.ts';
import styles from './chat.module.css';

export function Entries({ conversation, threadId }: { conversation: Conversation; threadId: string }) {
  const { order, entries, open } = conversation;
  const waits = openWaits(conversation);
  const last = order.at(-1);
  const works = [...entries.values()].some((one) => (one.is === 'run' || one.is === 'plan') && one.state === 'running');
  return (
    <div className={styles.entries} role="log" aria-label="Conversation">
      {order.length === 0 && (
        <Text size="sm" c="dimmed">
          No messages yet.
        </Text>
      )}
      {order.map((key) => {
        const entry = entries.get(key);
        return (
          entry && <EntryShown key={key} entry={entry} threadId={threadId} isLast={isLastEntry(order, entries, key)} {...inside(entry, conversation, waits)} />
        );
      })}
      {open.size > 0 && !works && entries.get(last ?? '')?.is === 'message' && (
        <Group gap="xs" className={styles.assistant}>
          <Loader size="xs" type="dots" />
          <Text size="sm" c="dimmed">
            Working
          </Text>
        </Group>
      )}
    </div>
  );
}

interface ShownProps {
  entry: Entry;
  threadId: string;
  isLast: boolean;
  waits: ReadonlySet<string> | undefined;
  entries: Conversation['entries'] | undefined;
}

const NO_WAITS: ReadonlySet<string> = new Set();
const NO_ENTRIES: Conversation['entries'] = new Map();

/** Only what an entry needs of the others, so that one that did not change is not drawn again. */
function inside(entry: Entry, { entries }: Conversation, waits: ReadonlySet<string>): Pick<ShownProps, 'waits' | 'entries'> {
  if (entry.is === 'plan') return { waits, entries };
  return { waits: entry.is === 'run' && waits.has(entry.key) ? waits : undefined, entries: undefined };
}

const EntryShown = memo(function EntryShown({ entry, threadId, isLast, waits = NO_WAITS, entries = NO_ENTRIES }: ShownProps) {
  switch (entry.is) {
    case 'message':
      return <MessageShown of={entry} />;
    case 'run':
      return <RunCard run={entry} waits={waits.has(entry.key)} />;
    case 'plan':
      return <PlanCard plan={entry} entries={entries} waits={waits} />;
    case 'wait':
      return <WaitShown of={entry} />;
    case 'candidates':
      return <CandidateForms of={entry.of} threadId={threadId} isLast={isLast} />;
    case 'ending':
      return (
        <div className={styles.assistant}>
          <FaultShown of={entry.error} />
        </div>
      );
  }
});

/** Nothing but the words that belong to it follows. */
function isLastEntry(order: readonly string[], entries: Conversation['entries'], key: string): boolean {
  return !order.slice(order.indexOf(key) + 1).some((later) => {
    const entry = entries.get(later);
    return entry?.is === 'message' ? entry.role === 'user' : entry !== undefined;
  });
}

function MessageShown({ of: { role, text, at } }: { of: Message }) {
  if (role === 'user')
    return (
      <div className={styles.user} dir="auto" role="article" aria-label="You">
        {text}
        <div className={styles.at}>
          <When at={at} />
        </div>
      </div>
    );
  const document = jsonIn(text);
  return (
    <div className={styles.assistant} role="article" aria-label="Answer">
      {document === undefined ? <Markdown text={text} /> : <Json value={document} label="Answer" />}
      <div className={styles.at}>
        <When at={at} />
      </div>
    </div>
  );
}

const OUTCOMES: Record<string, string> = {
  answered: 'Answered',
  approved: 'Approved',
  denied: 'Denied',
  expired: 'Not decided in time',
  cancelled: 'No longer asked: the run has ended',
};

function WaitShown({ of: { wait, outcome } }: { of: WaitEntry }) {
  if (outcome === null)
    return (
      <div className={styles.assistant}>
        <WaitCard wait={wait} />
      </div>
    );
  return (
    <Alert color="gray" p="xs" className={styles.assistant} role="article" aria-label="Decided">
      <Markdown text={wait.prompt} />
      <Text size="sm" fw={600} dir="auto" style={{ overflowWrap: 'anywhere' }}>
        {OUTCOMES[outcome.state] ?? outcome.state}
        {outcome.reason && `: ${outcome.reason}`}
      </Text>
    </Alert>
  );
}
