// What a recipe wrote for a guest: its files, until when they are kept, and how they become an agent.
import { Button, Group, NavLink, Paper, Skeleton, Stack, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState, type FormEvent } from 'react';
import { ApiError } from '#contract/client.ts';
import type { Output } from '../../api/client.ts';
import { read, useSend } from '../../api/query.ts';
import { useSession, useSignInPath } from '../../session/session.ts';
import { bodyIssues } from '../../form/refused.ts';
import { Code } from '../../kit/code.tsx';
import { Failure } from '../../kit/failure.tsx';
import { Empty, Facts, Section } from '../../kit/page.tsx';
import { When } from '../../kit/when.tsx';
import styles from './guest.module.css';
import { guestToken } from './guest-token.ts';
import { RECIPES } from './words.ts';

type Run = Output<'agentStudio', 'getPublicGuest'>;

export function GuestRun({ token, onAgain }: { token: string; onAgain: () => void }) {
  const { data, error, refetch } = useQuery({ ...read('agentStudio', 'getPublicGuest', { params: { token } }), staleTime: Number.POSITIVE_INFINITY });
  if (error instanceof ApiError && error.status === 404) {
    return (
      <Empty title="It no longer exists.">
        What nobody claims is kept for a day.
        <Group justify="center" mt="sm">
          <Button onClick={onAgain}>Build another</Button>
        </Group>
      </Empty>
    );
  }
  if (error) return <Failure error={error} onRetry={() => void refetch()} />;
  if (!data) return <Skeleton h={300} aria-busy role="status" aria-label="Loading the source" />;
  return (
    <Stack gap="lg">
      <Claim of={data} token={token} onAgain={onAgain} />
      <Facts of={{ Agent: data.brief.name, Goal: data.brief.goal, Recipe: RECIPES[data.recipe], 'Kept until': <When at={data.expires_at} /> }} />
      <Files of={data.files} />
    </Stack>
  );
}

function Claim({ of: { brief, claimed }, token, onAgain }: { of: Run; token: string; onAgain: () => void }) {
  const { authenticated } = useSession();
  const signIn = useSignInPath();
  return (
    <Paper withBorder p="md" component="section" aria-label="Claim this agent">
      <Text fw={600}>{claimed ? 'It was claimed.' : 'Claim this agent'}</Text>
      <Text size="sm" c="dimmed" mb="sm">
        {claimed
          ? 'The person who claimed it finds it among their studio runs.'
          : 'The studio then checks it, starts it for you only, and calls it with samples.'}
      </Text>
      <Group gap="xs" align="end">
        {!claimed && authenticated && <ClaimForm name={brief.name} token={token} />}
        {!claimed && !authenticated && (
          <Button component="a" href={signIn}>
            Sign in and continue
          </Button>
        )}
        <Button variant="default" onClick={onAgain}>
          {claimed ? 'Build another' : 'Begin again'}
        </Button>
      </Group>
      {!claimed && !authenticated && (
        <Text size="xs" c="dimmed" mt="xs">
          This tab keeps it while you sign in. If you close the tab, it is lost.
        </Text>
      )}
    </Paper>
  );
}

function ClaimForm({ name: given, token }: { name: string; token: string }) {
  const navigate = useNavigate();
  const [name, setName] = useState(given);
  const claim = useSend('agentStudio', 'claim', {
    quiet: true,
    refresh: ['agentStudio'],
    onDone: ({ run_id }) => {
      guestToken.clear();
      void navigate({ to: '/studio/runs/$run_id', params: { run_id } });
    },
  });
  const fault = bodyIssues(claim.error).find(({ path }) => path[0] === 'name')?.message;
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    claim.mutate({ body: { token, name: name.trim() } });
  };
  return (
    <form onSubmit={submit} aria-label="Claim this agent">
      <Group gap="xs" align="end">
        <TextInput label="Name of the agent" value={name} error={fault} maxLength={63} onChange={({ currentTarget }) => setName(currentTarget.value)} />
        <Button type="submit" loading={claim.isPending}>
          Claim agent
        </Button>
      </Group>
      {claim.error && fault === undefined && <Failure error={claim.error} />}
    </form>
  );
}

function Files({ of }: { of: Run['files'] }) {
  const [shown, setShown] = useState(() => (of.find(({ path }) => path === 'agent.ts') ?? of[0])?.path);
  const file = of.find(({ path }) => path === shown);
  return (
    <Section title="Source" lead={`${of.length} files, as they would be in the repository of the agent.`}>
      <div className={styles.source}>
        <nav aria-label="Files of the source" className={styles.files}>
          {of.map(({ path }) => (
            <NavLink
              key={path}
              component="button"
              label={path}
              active={path === shown}
              aria-current={path === shown || undefined}
              onClick={() => setShown(path)}
              dir="ltr"
            />
          ))}
        </nav>
        {file && <Code text={file.content} label={file.path} maxHeight={640} />}
      </div>
    </Section>
  );
}
