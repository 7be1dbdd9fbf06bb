// The parts that every page is made of.
import { Anchor, Breadcrumbs, Group, Paper, Skeleton, Stack, Text, Title } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { Fragment, useEffect, type ReactNode } from 'react';
import { InTerminal } from './in-terminal.tsx';
import styles from './page.module.css';

export interface PageProps {
  title: string;
  /** Before the title. */
  icon?: ReactNode;
  /** Beside the title: a state, a version. */
  beside?: ReactNode;
  lead?: ReactNode;
  /** Buttons. */
  actions?: ReactNode;
  /** The pages above: their names and paths. */
  crumbs?: { label: string; to: string }[];
  children: ReactNode;
}

export function Page({ title, icon, beside, lead, actions, crumbs, children }: PageProps) {
  useEffect(() => {
    document.title = `${title} · svc`;
  }, [title]);
  return (
    <Stack gap="lg" maw={1200} mx="auto" w="100%">
      <div>
        {crumbs && (
          <Breadcrumbs mb={4} separatorMargin={6}>
            {crumbs.map(({ label, to }) => (
              <Anchor key={to} component={Link} to={to} size="sm">
                {label}
              </Anchor>
            ))}
          </Breadcrumbs>
        )}
        <Group justify="space-between" align="start" gap="sm">
          <div style={{ flex: '1 1 20rem', minWidth: 0 }}>
            <Group gap="sm">
              {icon}
              <Title order={1} style={{ overflowWrap: 'anywhere', minWidth: 0 }} dir="auto">
                {title}
              </Title>
              {beside}
            </Group>
            {lead && (
              <Text c="dimmed" mt={4} maw="46rem" component="div" style={{ overflowWrap: 'anywhere' }} dir="auto">
                {lead}
              </Text>
            )}
          </div>
          {actions && <Group gap="xs">{actions}</Group>}
        </Group>
      </div>
      {children}
    </Stack>
  );
}

export interface SectionProps {
  title: string;
  lead?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
}

export function Section({ title, lead, actions, children }: SectionProps) {
  return (
    <section aria-label={title}>
      <Group justify="space-between" mb="xs" gap="xs">
        <div>
          <Title order={2}>{title}</Title>
          {lead && (
            <Text size="sm" c="dimmed" maw="46rem">
              {lead}
            </Text>
          )}
        </div>
        {actions && <Group gap="xs">{actions}</Group>}
      </Group>
      {children}
    </section>
  );
}

/** What is known of one thing: names and values. Values that are null or undefined are left out. */
export function Facts({ of }: { of: Record<string, ReactNode> }) {
  return (
    <dl className={styles.facts}>
      {Object.entries(of)
        .filter(([, value]) => value !== null && value !== undefined)
        .map(([name, value]) => (
          <Fragment key={name}>
            <dt>{name}</dt>
            <dd dir="auto">{value}</dd>
          </Fragment>
        ))}
    </dl>
  );
}

/**
 * Nothing is here yet: what comes here, a button that does the next thing, and its command for the terminal.
 */
export function Empty({ title, children, action, command }: { title: string; children?: ReactNode; action?: ReactNode; command?: string }) {
  return (
    <Paper withBorder p="xl" ta="center" style={{ borderStyle: 'dashed' }}>
      <Text fw={600}>{title}</Text>
      {children && (
        <Text size="sm" c="dimmed" mt={4} component="div" maw="36rem" mx="auto">
          {children}
        </Text>
      )}
      {action && (
        <Group justify="center" mt="sm">
          {action}
        </Group>
      )}
      {command && (
        <Group justify="center" component="div">
          <InTerminal command={command} />
        </Group>
      )}
    </Paper>
  );
}

export function Loading({ lines = 6 }: { lines?: number }) {
  return (
    <Stack gap="sm" aria-busy="true" aria-label="Loading" role="status" maw={1200} mx="auto" w="100%">
      <Skeleton h={28} w="30%" />
      {Array.from({ length: lines }, (_, at) => (
        <Skeleton key={at} h={40} />
      ))}
    </Stack>
  );
}
