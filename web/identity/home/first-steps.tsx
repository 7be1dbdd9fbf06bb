// First steps of an account: complete by what it has and has done, not by a click here.
import { Button, Group, Paper, SimpleGrid, Text, ThemeIcon, Title } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { IconCheck } from '@tabler/icons-react';
import { useRead, useSend } from '../../api/query.ts';
import type { Output } from '../../api/client.ts';
import { useSession } from '../../session/session.ts';
import { InTerminal } from '../../kit/in-terminal.tsx';

type Step = Output<'onboarding', 'get'>['steps'][number];

const STEPS: Record<Step['step'], { title: string; why: string; command: string; to: string; label: string }> = {
  model_key: {
    title: 'Add a model key',
    why: 'Agents that use one, and the chat, need a key of yours. Others work without.',
    command: 'svc models set main --provider anthropic',
    to: '/models',
    label: 'Add a model key',
  },
  first_agent: {
    title: 'Deploy an agent',
    why: 'From a template, a folder, git or an agent that runs elsewhere.',
    command: 'svc init hello && cd hello && svc deploy',
    to: '/agents/mine?make=template',
    label: 'Create an agent',
  },
  first_call: {
    title: 'Call a skill',
    why: 'From here, from a terminal, or from any client of HTTP, MCP or A2A.',
    command: 'svc call AGENT TOOL',
    to: '/agents',
    label: 'Find an agent',
  },
};

export function FirstSteps() {
  const { steps, completed_at, dismissed_at, current_step } = useRead('onboarding', 'get', {});
  const putAway = useSend('onboarding', 'update');
  const { acts_only_for: only } = useSession();
  if (completed_at !== null || dismissed_at !== null || only) return null;
  return (
    <Paper withBorder p="md" component="section" aria-label="First steps">
      <Group justify="space-between" mb="sm">
        <Title order={2}>First steps</Title>
        <Button size="compact-sm" variant="subtle" color="gray" loading={putAway.isPending} onClick={() => putAway.mutate({ body: { dismissed: true } })}>
          Hide
        </Button>
      </Group>
      <SimpleGrid cols={{ base: 1, md: 3 }} component="ol" p={0} m={0} style={{ listStyle: 'none' }}>
        {steps.map((step, at) => (
          <One key={step.step} step={step} number={at + 1} isNext={step.step === current_step} />
        ))}
      </SimpleGrid>
    </Paper>
  );
}

function One({ step: { step, completed_at }, number, isNext }: { step: Step; number: number; isNext: boolean }) {
  const { title, why, command, to, label } = STEPS[step];
  const isDone = completed_at !== null;
  return (
    <li>
      <Group gap={8} mb={4} wrap="nowrap">
        <ThemeIcon size={22} radius="xl" color={isDone ? 'teal.9' : 'blue'} variant={isDone || isNext ? 'filled' : 'default'} aria-hidden>
          {isDone ? <IconCheck size={14} /> : <Text size="xs">{number}</Text>}
        </ThemeIcon>
        <Text fw={600}>{title}</Text>
        {isDone && (
          <Text size="xs" c="dimmed">
            done
          </Text>
        )}
      </Group>
      {!isDone && (
        <>
          <Text size="sm" c="dimmed" mb={6}>
            {why}
          </Text>
          <Button component={Link} to={to} size="xs" variant={isNext ? 'filled' : 'default'}>
            {label}
          </Button>
          <InTerminal command={command} />
        </>
      )}
    </li>
  );
}
