// Rehearsals of the agent in disposable machines, what blocks a protocol, and the protocols of its registry.
import { Group, Stack } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { PageLink } from '../../kit/page-link.tsx';
import { List } from './list.tsx';
import { Readiness } from './readiness.tsx';
import { Rehearsal } from './rehearsal.tsx';
import { Registry } from './registry.tsx';

const route = getRouteApi('/agents/mine/$name/rehearsals');
const VIEWS = [
  { label: 'Rehearsals', show: undefined },
  { label: 'Readiness', show: 'readiness' },
  { label: 'Registry', show: 'registry' },
] as const;

export function Rehearsals() {
  const { name } = route.useParams();
  const { show, rehearsal } = route.useSearch();
  return (
    <Stack>
      <Group gap="md" component="nav" aria-label="Views of the rehearsals">
        {VIEWS.map((view) => (
          <PageLink
            key={view.label}
            to="/agents/mine/$name/rehearsals"
            activeOptions={{ exact: true }}
            params={{ name }}
            search={view.show === undefined ? {} : { show: view.show }}
            size="sm"
            {...(view.show === show && { 'aria-current': 'page' as const, fw: 650, c: 'var(--mantine-color-text)', underline: 'always' as const })}
          >
            {view.label}
          </PageLink>
        ))}
      </Group>
      {show === undefined && (
        <Stack gap="xl">
          {rehearsal !== undefined && <Rehearsal name={name} id={rehearsal} />}
          <List name={name} shown={rehearsal} />
        </Stack>
      )}
      {show === 'readiness' && <Readiness name={name} />}
      {show === 'registry' && <Registry name={name} />}
    </Stack>
  );
}
