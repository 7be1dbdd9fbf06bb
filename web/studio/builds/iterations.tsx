// What was written, time by time: the commit, who wrote it, what its checks said, what reviews found.
import { Box, Group, List as Bullets, Stack, Text } from '@mantine/core';
import type { Output } from '../../api/client.ts';
import { Copy } from '../../kit/copy.tsx';
import { LongText } from '../../kit/long-text.tsx';
import { Section } from '../../kit/page.tsx';
import { State } from '../../kit/state.tsx';
import { When } from '../../kit/when.tsx';
import { WRITERS } from './words.ts';

type Iteration = Output<'agentStudio', 'get'>['iterations'][number];

export function Iterations({ of }: { of: readonly Iteration[] }) {
  return (
    <Section title="Versions of the source" lead="Each time is a commit. Checks: it is built and its own tests run, in a machine without secrets.">
      {of.length === 0 && (
        <Text size="sm" c="dimmed">
          Nothing is written yet.
        </Text>
      )}
      <Stack gap="md">
        {of.map((one) => (
          <One key={one.number} of={one} />
        ))}
      </Stack>
    </Section>
  );
}

function One({ of: { number, commit, written_by, checks, message, findings, created_at } }: { of: Iteration }) {
  return (
    <Box>
      <Group gap="xs">
        <Text size="sm" fw={600}>
          {number === 0 ? 'First' : `Change ${number}`}
        </Text>
        <Text size="sm">{WRITERS[written_by]}</Text>
        <State of={checks ?? 'unchecked'} label={checks === null ? 'not checked yet' : `checks ${checks}`} />
        <Text size="sm" span>
          <code>{commit.slice(0, 8)}</code> <Copy value={commit} label="Copy commit" />
        </Text>
        <Text size="sm" c="dimmed">
          <When at={created_at} />
        </Text>
      </Group>
      {message !== null && <LongText text={message} size="sm" />}
      {findings.length > 0 && (
        <Bullets size="sm">
          {findings.map(({ severity, rule, path, title }, at) => (
            <Bullets.Item key={at} dir="auto" style={{ overflowWrap: 'anywhere' }}>
              {severity}: {title} (<code>{rule}</code>
              {path !== null && `, ${path}`})
            </Bullets.Item>
          ))}
        </Bullets>
      )}
    </Box>
  );
}
