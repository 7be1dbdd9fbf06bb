// All that waits for the reader, the soonest end first. j and k move, Enter goes into a card, Escape comes
// out of it.
import { Box, Group, Kbd, Stack, Text } from '@mantine/core';
import { useSuspenseQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useEffect, useRef, useState, type KeyboardEvent } from 'react';
import { useAhead } from '../../kit/ahead.ts';
import { useHotkey } from '../../kit/hotkey.ts';
import { Empty, Page } from '../../kit/page.tsx';
import { useSeenFirst } from '../../kit/seen-first.ts';
import { LinkedWait } from '../wait/closed.tsx';
import { WaitCard } from '../wait/wait-card.tsx';
import styles from './inbox.module.css';
import { NotifySwitch } from './notify-switch.tsx';
import { ButtonLink } from '../../kit/page-link.tsx';
import { inOrder, type Wait, waitsQuery } from './waits.ts';

const route = getRouteApi('/inbox');

/** Cards of a window. */
const SEEN = 4;

export function Inbox() {
  const { data } = useSuspenseQuery(waitsQuery);
  const [seen, setSeen] = useState<ReadonlyMap<string, Wait>>(new Map());
  useEffect(() => setSeen((before) => new Map([...before, ...data.map((one) => [one.wait_id, one] as const)])), [data]);
  // What was decided, here or elsewhere, stays in its place until the reader leaves: a list must not jump
  // while it is used.
  const waits = inOrder([...seen.values(), ...data]);
  const cards = useSeenFirst(waits, SEEN);
  const open = new Set(data.map(({ wait_id }) => wait_id));
  const navigate = route.useNavigate();
  const [{ wait }, change] = useAhead(route.useSearch(), (search) => void navigate({ search, replace: true, resetScroll: false }));
  const list = useRef<HTMLDivElement>(null);
  const at = waits.findIndex(({ wait_id }) => wait_id === wait);
  const select = (index: number): void => {
    const next = waits[Math.min(Math.max(index, 0), waits.length - 1)];
    if (next) change({ wait: next.wait_id });
  };
  useHotkey('j', () => select(at + 1));
  useHotkey('k', () => select(at < 0 ? 0 : at - 1));
  useHotkey('enter', at < 0 ? undefined : () => firstControl(list.current, wait)?.focus());
  useEffect(() => {
    list.current?.querySelector(`[data-card="${CSS.escape(wait ?? '')}"]`)?.scrollIntoView({ block: 'nearest' });
  }, [wait]);
  const onKey = (event: KeyboardEvent<HTMLDivElement>): void => {
    if (event.key === 'Escape' && document.activeElement instanceof HTMLElement) document.activeElement.blur();
  };
  return (
    <Page title="Inbox" lead={lead(open.size)} actions={<NotifySwitch />}>
      {wait !== undefined && at < 0 && <LinkedWait waitId={wait} />}
      {waits.length === 0 ? (
        <Empty
          title="Nothing needs your answer."
          action={
            <ButtonLink to="/runs" variant="light">
              See all runs
            </ButtonLink>
          }
          command="svc answer"
        >
          What an agent asks comes here: questions, forms, access to files, calls of other agents. The command answers the same at a terminal.
        </Empty>
      ) : (
        <>
          <Group gap="xs" visibleFrom="sm">
            <Text size="xs" c="dimmed">
              <Kbd size="xs">j</Kbd> <Kbd size="xs">k</Kbd> move, <Kbd size="xs">Enter</Kbd> goes to the answer, <Kbd size="xs">Esc</Kbd> leaves it
            </Text>
          </Group>
          <Stack ref={list} onKeyDown={onKey} gap="md" maw={820}>
            {cards.map((one) => (
              <Box key={one.wait_id} data-card={one.wait_id} className={styles.card} mod={{ at: one.wait_id === wait }}>
                <WaitCard wait={one} isClosed={!open.has(one.wait_id)} />
              </Box>
            ))}
          </Stack>
        </>
      )}
    </Page>
  );
}

function lead(open: number): string {
  if (open === 0) return 'Questions of your runs, and what they may do only with your consent.';
  return open === 1 ? 'One decision waits for you.' : `${open} decisions wait for you; the one that expires first is on top.`;
}

/** Where an answer is typed or given; a link is not. */
function firstControl(list: HTMLElement | null, wait: string | undefined): HTMLElement | undefined {
  const card = list?.querySelector(`[data-card="${CSS.escape(wait ?? '')}"]`);
  return card?.querySelector<HTMLElement>('input, textarea, select, form button, [role=group] button, button[data-variant=filled], button') ?? undefined;
}
