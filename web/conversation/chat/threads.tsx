// The account's conversations, the one last spoken in first.
import { Anchor, Button, Group, Text, UnstyledButton } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { IconPlus } from '@tabler/icons-react';
import { usePages } from '../../api/query.ts';
import { More } from '../../kit/list.tsx';
import { When } from '../../kit/when.tsx';
import styles from './chat.module.css';

export function Threads({ archived, current }: { archived: boolean; current: string | null }) {
  const pages = usePages('chatThreads', 'list', { query: { archived, limit: 50 } });
  return (
    <nav className={styles.threads} aria-label="Conversations">
      <Button component={Link} to="/chat" variant="default" size="xs" leftSection={<IconPlus size={14} />} fullWidth mb="sm">
        New conversation
      </Button>
      {pages.items.length === 0 && (
        <Text size="sm" c="dimmed" px={10} py={6}>
          {archived ? 'No archived conversation.' : 'No conversation yet.'}
        </Text>
      )}
      {pages.items.map(({ thread_id, title, touched_at }) => (
        <UnstyledButton
          key={thread_id}
          component={Link}
          to={`/chat/${thread_id}`}
          search={searchOf(archived)}
          className={styles.thread}
          {...(thread_id === current && { 'aria-current': 'page' as const })}
        >
          <span className={styles.title} dir="auto">
            {title}
          </span>
          <span className={styles.at}>
            <When at={touched_at} />
          </span>
        </UnstyledButton>
      ))}
      {pages.hasMore && <More pages={pages} />}
      <Group px={10} mt="sm">
        <Anchor component={Link} to={current === null ? '/chat' : `/chat/${current}`} search={searchOf(!archived)} size="xs" c="dimmed">
          {archived ? 'Back to conversations' : 'Archived conversations'}
        </Anchor>
      </Group>
    </nav>
  );
}

// Safe: both paths of the chat take it; inside a component of Mantine the router does not know which path it
// is.
function searchOf(archived: boolean): () => never {
  return () => (archived ? { archived } : {}) as never;
}
