// The answers of one contestant, case by case, with the parts of each score; and what its reader says of it.
import { Badge, Box, Button, Group, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { ApiError } from '#contract/client.ts';
import type { Output } from '../../api/client.ts';
import { RequestForm } from '../../form/request-form.tsx';
import { Json } from '../../kit/code.tsx';
import { Failure } from '../../kit/failure.tsx';
import { PageLink } from '../../kit/page-link.tsx';
import { Section } from '../../kit/page.tsx';
import { nameOf, points } from './words.ts';

type Room = Output<'trialRooms', 'get'>;
type Run = Room['contestants'][number];

export function Contestant({ room, run }: { room: Room; run: Run }) {
  const [says, setSays] = useState<'rate' | 'select'>();
  const canSay = room.state !== 'decided' && run.ended_at !== null;
  const input = { params: { slug: room.slug, run_id: run.run_id } };
  const form = {
    submit: says === 'rate' ? 'Rate' : 'Select',
    refresh: ['trialRooms' as const],
    onDone: () => setSays(undefined),
    onCancel: () => setSays(undefined),
  };
  return (
    <Section
      title={nameOf(run)}
      actions={
        canSay && (
          <Group gap="xs">
            <Button size="xs" variant="default" onClick={() => setSays('rate')}>
              {run.ratings.mine === null ? 'Rate' : 'Rate again'}
            </Button>
            {run.state === 'succeeded' && (
              <Button size="xs" onClick={() => setSays('select')}>
                Select
              </Button>
            )}
          </Group>
        )
      }
    >
      {run.job_id !== null && (
        <PageLink to="/jobs/$job_id" params={{ job_id: run.job_id }} size="sm">
          Its events
        </PageLink>
      )}
      {says === 'rate' && (
        <Box maw={480} my="sm">
          <RequestForm key="rate" group="trialRooms" route="rate" input={input} done="Rated." {...form} />
        </Box>
      )}
      {says === 'select' && (
        <Box maw={480} my="sm">
          <RequestForm key="select" group="trialRooms" route="select" input={input} done="Selected: the room is decided." {...form} />
        </Box>
      )}
      {run.error && <Failure error={new ApiError(0, { ...run.error })} />}
      <Stack gap="md" mt="sm">
        {run.results.map((result) => (
          <Answer key={result.case} of={result} agent={run.contestant?.agent ?? null} />
        ))}
      </Stack>
    </Section>
  );
}

function Answer({ of, agent }: { of: Run['results'][number]; agent: string | null }) {
  const { case: number, name, state, score, parts, output, error, receipt_id } = of;
  return (
    <Box>
      <Group gap="xs" mb={4}>
        <Text size="sm" fw={600} dir="auto">
          Case {number}
          {name !== null && `, ${name}`}
        </Text>
        <Text size="sm">{score === null ? state : `${points(score)} points`}</Text>
        {parts.map(({ part, score: share }) => (
          <Badge key={part} variant="light" tt="none" color={share === null ? 'gray' : share >= 0.8 ? 'teal' : share >= 0.4 ? 'yellow' : 'red'}>
            {part} {share === null ? 'not told' : `${Math.round(share * 100)} %`}
          </Badge>
        ))}
        {receipt_id !== null && agent !== null && (
          <PageLink to="/receipts" search={{ agent, id: receipt_id }} size="sm">
            Receipt
          </PageLink>
        )}
      </Group>
      {error ? (
        <Text size="sm">
          {error.code}: {error.message}
        </Text>
      ) : (
        state === 'done' && <Json value={output} label={`Answer to case ${number}`} maxHeight={240} />
      )}
      {parts.flatMap(({ part, reason }) =>
        reason === null
          ? []
          : [
              <Text key={part} size="xs" c="dimmed" dir="auto">
                {part}: {reason}
              </Text>,
            ],
      )}
    </Box>
  );
}
