// queued → built → started → checked → live.
import { Text } from '@mantine/core';
import { IconCheck, IconLoader, IconX } from '@tabler/icons-react';
import { duration } from '../../kit/time.ts';
import { STAGE_WORDS, type StageLine } from './stages.ts';
import styles from './stage-bar.module.css';

const STATE_WORDS: Record<StageLine['state'], string> = { done: 'done', now: 'under way', failed: 'failed', cancelled: 'cancelled', 'not yet': 'not yet' };

export function StageBar({ lines }: { lines: StageLine[] }) {
  return (
    <ol className={styles.bar} aria-label="Stages">
      {lines.map(({ stage, state, took }) => (
        <li key={stage} className={styles.stage} data-state={state}>
          <span className={styles.dot} aria-hidden>
            {state === 'done' && <IconCheck size={13} />}
            {state === 'now' && <IconLoader size={13} className={styles.turns} />}
            {(state === 'failed' || state === 'cancelled') && <IconX size={13} />}
          </span>
          <Text size="sm" span fw={state === 'now' ? 650 : 400}>
            {STAGE_WORDS[stage]}
          </Text>
          <Text size="xs" span c="dimmed">
            {took === undefined ? (state === 'done' ? '' : STATE_WORDS[state]) : duration(took)}
          </Text>
        </li>
      ))}
    </ol>
  );
}
