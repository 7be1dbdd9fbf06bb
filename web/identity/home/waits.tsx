import { Anchor, Stack, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { queries, useRead } from '../../api/query.ts';
import { refreshInterval } from '../../api/refresh-interval.ts';
import { Section } from '../../kit/page.tsx';
import { openWaits } from '../../pauses/inbox/open-waits.ts';
import { WaitCard } from '../../pauses/wait/wait-card.tsx';

const SHOWN = 3;

/** The decisions that end soonest. */
export function Waits() {
  const { items } = useRead('inbox', 'waits', openWaits, { every: refreshInterval(5_000) });
  const rest = items.length - SHOWN;
  return (
    <Section title="Needs your answer" {...(rest > 0 && { actions: <Inbox label={`${rest} more in the inbox`} /> })}>
      {items.length === 0 ? (
        <Text size="sm" c="dimmed">
          Nothing. What agents ask you is shown here, and in the <Inbox label="inbox" />.
        </Text>
      ) : (
        <Stack>
          {items.slice(0, SHOWN).map((wait) => (
            <WaitCard key={wait.wait_id} wait={wait} onDecided={() => void queries().invalidateQueries({ queryKey: ['inbox'] })} />
          ))}
        </Stack>
      )}
    </Section>
  );
}

function Inbox({ label }: { label: string }) {
  return (
    <Anchor component={Link} to="/inbox" size="sm" underline="always">
      {label}
    </Anchor>
  );
}
