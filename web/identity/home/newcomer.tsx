// For an account that has no agent and has called none: what to do now, and what can wait.
import { Anchor, Group, Paper, Stack, Text, Title } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useRead } from '../../api/query.ts';
import { ButtonLink, PageLink } from '../../kit/page-link.tsx';

/** Of an installation's first agents: the ones that explain themselves. */
const SAMPLES = ['greeter', 'text-kit'];

export function Newcomer() {
  const { items } = useRead('public', 'agents', { query: { limit: 24 } });
  const callable = items.filter(({ skills }) => skills.length > 0);
  const sample = callable.find(({ name }) => SAMPLES.includes(name)) ?? callable[0];
  return (
    <Stack component="ol" p={0} m={0} style={{ listStyle: 'none' }} aria-label="First steps">
      {sample && (
        <Step title="Try an agent now" why={`${sample.name}: ${sample.description.slice(0, 160)}`}>
          <ButtonLink to="/agents/$name/skills/$skill" params={{ name: sample.name, skill: sample.skills[0] ?? '' }}>
            Try the sample agent
          </ButtonLink>
          <PageLink to="/agents" size="sm">
            Find other agents
          </PageLink>
        </Step>
      )}
      <Step title="Create your own" why="Start from a template that is live in a minute, or bring what you have.">
        <ButtonLink to="/agents/mine" search={{ make: 'template' as const }} variant={sample ? 'light' : 'filled'}>
          Start from a template
        </ButtonLink>
        <ButtonLink to="/agents/mine" search={{ make: 'upload' as const }} variant="default">
          Upload a folder or archive
        </ButtonLink>
        <ButtonLink to="/agents/mine" search={{ make: 'source' as const }} variant="default">
          Use git
        </ButtonLink>
        <ButtonLink to="/agents/mine" search={{ make: 'import' as const }} variant="default">
          Import a running agent
        </ButtonLink>
      </Step>
      <Step title="Add a model key later" why="Only agents that use a language model need one, and the chat. All others work without.">
        <PageLink to="/models" size="sm">
          Add a model key
        </PageLink>
        <Anchor component={Link} to="/docs" size="sm">
          Read the first ten minutes
        </Anchor>
      </Step>
    </Stack>
  );
}

function Step({ title, why, children }: { title: string; why: string; children: ReactNode }) {
  return (
    <Paper withBorder p="lg" component="li">
      <Title order={2}>{title}</Title>
      <Text c="dimmed" mt={2} mb="sm" dir="auto">
        {why}
      </Text>
      <Group gap="sm">{children}</Group>
    </Paper>
  );
}
