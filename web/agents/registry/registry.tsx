// All agents one may see: found as one types, narrowed by tag, skill, kind and state. Signed out: the public
// ones.
import { Badge, CloseButton, Group, NativeSelect, SegmentedControl, Skeleton, Stack, Text, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { IconSearch } from '@tabler/icons-react';
import { Suspense, useDeferredValue, useEffect, useState } from 'react';
import { useSession } from '../../session/session.ts';
import { Page } from '../../kit/page.tsx';
import { AgentSearchResults, InstalledAgents, ListedAgents, PublicAgents } from './registry-lists.tsx';
import { filled } from '../../kit/search.ts';
import type { RegistrySearch } from './search.ts';

const route = getRouteApi('/agents');
const PAUSE_MS = 200;

export function Registry() {
  const search = route.useSearch();
  const { authenticated } = useSession();
  const navigate = useNavigate();
  const go = (change: RegistrySearch): void => {
    void navigate({ to: '/agents', search: filled({ ...search, ...change }), replace: true });
  };
  return (
    <Page title="Agents" lead={authenticated ? 'Those that are public, and your own.' : 'Public agents. Sign in to search, and to see your own.'}>
      <Stack gap="md">
        {authenticated && <Narrowing search={search} go={go} />}
        <Chosen search={search} go={go} />
        <Suspense fallback={<Placeholder />}>
          <Shown search={search} />
        </Suspense>
      </Stack>
    </Page>
  );
}

interface NarrowingProps {
  search: RegistrySearch;
  go: (change: RegistrySearch) => void;
}

const KINDS = [
  { value: '', label: 'Any kind' },
  { value: 'hosted', label: 'Runs here' },
  { value: 'imported', label: 'Imported' },
];
const STATES = [
  { value: '', label: 'Any state' },
  { value: 'live', label: 'Live' },
  { value: 'out', label: 'Out of service' },
  { value: 'deploying', label: 'Deploying' },
  { value: 'registered', label: 'Not deployed' },
  { value: 'failed', label: 'Failed' },
];

function Narrowing({ search, go }: NarrowingProps) {
  const { q = '', show, kind = '', state = '' } = search;
  return (
    <Group gap="sm" align="end">
      <Words q={q} onWords={(words) => go({ q: words === '' ? undefined : words })} />
      <SegmentedControl
        aria-label="Whose"
        data={[
          { value: '', label: 'All' },
          { value: 'mine', label: 'Mine' },
          { value: 'installed', label: 'Installed' },
        ]}
        value={show ?? ''}
        onChange={(next) => go({ show: next === 'mine' || next === 'installed' ? next : undefined })}
      />
      {show !== 'installed' && (
        <>
          <NativeSelect aria-label="Kind" data={KINDS} value={kind} onChange={({ currentTarget }) => go({ kind: currentTarget.value || undefined })} />
          <NativeSelect aria-label="State" data={STATES} value={state} onChange={({ currentTarget }) => go({ state: currentTarget.value || undefined })} />
        </>
      )}
    </Group>
  );
}

/** What is typed stands in the address a moment later. */
function Words({ q, onWords }: { q: string; onWords: (words: string) => void }) {
  const [typed, setTyped] = useState(q);
  const say = useDebouncedCallback(onWords, PAUSE_MS);
  useEffect(() => {
    setTyped((now) => (now.trim() === q ? now : q));
  }, [q]);
  return (
    <TextInput
      aria-label="Search agents"
      placeholder="What it does, its name, a skill"
      leftSection={<IconSearch size={16} />}
      rightSection={
        typed !== '' && (
          <CloseButton
            size="sm"
            aria-label="Clear the search"
            onClick={() => {
              setTyped('');
              onWords('');
            }}
          />
        )
      }
      value={typed}
      maxLength={500}
      onChange={({ currentTarget }) => {
        setTyped(currentTarget.value);
        say(currentTarget.value.trim());
      }}
      style={{ flex: '1 1 16rem' }}
      type="search"
      autoComplete="off"
    />
  );
}

/** A tag or a skill that was clicked on. */
function Chosen({ search: { tag, skill }, go }: NarrowingProps) {
  const parts: [string, string | undefined, RegistrySearch][] = [
    ['tag', tag, { tag: undefined }],
    ['skill', skill, { skill: undefined }],
  ];
  const shown = parts.filter(([, value]) => value !== undefined);
  if (shown.length === 0) return null;
  return (
    <Group gap="xs">
      {shown.map(([what, value, change]) => (
        <Badge
          key={what}
          variant="light"
          tt="none"
          radius="sm"
          size="lg"
          rightSection={<CloseButton size="xs" aria-label={`Remove the ${what}`} onClick={() => go(change)} />}
        >
          {what} {value}
        </Badge>
      ))}
    </Group>
  );
}

function Shown({ search }: { search: RegistrySearch }) {
  const { authenticated } = useSession();
  // The list that was found stays while the next is asked for.
  const settled = useDeferredValue(search);
  const { q, tag, skill, show, kind, state } = settled;
  if (!authenticated) return <PublicAgents tag={tag} />;
  const filter = { mine: show === 'mine', kind, state };
  if (show === 'installed') return <InstalledAgents q={q} />;
  if (q !== undefined || tag !== undefined || skill !== undefined) return <AgentSearchResults q={q} tag={tag} skill={skill} filter={filter} />;
  return <ListedAgents filter={filter} />;
}

function Placeholder() {
  return (
    <Stack gap="xs" aria-busy="true">
      <Text size="sm" c="dimmed" role="status">
        Reading agents …
      </Text>
      {Array.from({ length: 6 }, (_, at) => (
        <Skeleton key={at} h={52} />
      ))}
    </Stack>
  );
}
