// First steps of the organization that this tab acts for: what it lacks, by what it has.
import { Group, Paper, Text, ThemeIcon, Title } from '@mantine/core';
import { IconCheck } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useRead } from '../../api/query.ts';
import { PageLink } from '../../kit/page-link.tsx';
import { useOrganizations } from '../../session/organizations.ts';
import { myAgents } from './queries.ts';

export function OrganizationSteps({ slug }: { slug: string }) {
  const organization = useOrganizations(true).find((one) => one.slug === slug);
  const agents = useRead('agents', 'mine', myAgents);
  const { items: keys } = useRead('llmCreds', 'list', {});
  if (!organization) return null;
  const steps: { label: string; isDone: boolean; link: ReactNode }[] = [
    {
      label: 'Invite members',
      isDone: organization.members > 1,
      link: (
        <PageLink to="/organizations/$slug" params={{ slug }} search={{ edit: 'new' as const }} size="sm">
          Invite a member
        </PageLink>
      ),
    },
    {
      label: 'Create an agent of the organization',
      isDone: agents.length > 0,
      link: (
        <PageLink to="/agents/mine" search={{ make: 'template' as const }} size="sm">
          Create an agent
        </PageLink>
      ),
    },
    {
      label: 'Add a model key for all members',
      isDone: keys.length > 0,
      link: (
        <PageLink to="/models" size="sm">
          Add a model key
        </PageLink>
      ),
    },
  ];
  if (steps.every(({ isDone }) => isDone)) return null;
  return (
    <Paper withBorder p="md" component="section" aria-label={`First steps of ${organization.name}`}>
      <Title order={2} mb="sm">
        First steps of {organization.name}
      </Title>
      <ol style={{ listStyle: 'none', margin: 0, padding: 0 }}>
        {steps.map(({ label, isDone, link }, at) => (
          <Group key={label} component="li" gap={8} mb={6}>
            <ThemeIcon size={22} radius="xl" color={isDone ? 'teal.9' : 'blue'} variant={isDone ? 'filled' : 'default'} aria-hidden>
              {isDone ? <IconCheck size={14} /> : <Text size="xs">{at + 1}</Text>}
            </ThemeIcon>
            <Text size="sm">{label}</Text>
            {isDone ? (
              <Text size="xs" c="dimmed">
                done
              </Text>
            ) : (
              link
            )}
          </Group>
        ))}
      </ol>
    </Paper>
  );
}
