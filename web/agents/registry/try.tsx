// Calls a skill from a form made of its schema.
import { Alert, Anchor, Button, Grid, Group, NativeSelect, Paper, Skeleton, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { IconLogin2, IconPlayerPlay, IconPlayerStop } from '@tabler/icons-react';
import { lazy, Suspense, useEffect, useRef, useState } from 'react';
import { read } from '../../api/query.ts';
import { useSession, useSignInPath } from '../../session/session.ts';
import { dropDraft, readDraft, useDraftName } from '../../form/draft.ts';
import { CheckedForm } from '../../form/lazy.tsx';
import { isObject } from '../../form/schema.ts';
import { Action } from '../../kit/action.tsx';
import { explain } from '../../kit/explain.ts';
import { Failure } from '../../kit/failure.tsx';
import { Empty } from '../../kit/page.tsx';
import { Costs } from '../../money/prices/costs.tsx';
import { type ShownAgent, type Skill, useAgent, whyNot } from './agent-data.ts';
import { useDraft } from './drafts.ts';
import type { LiveCall } from '../live/live.ts';
import { keepingQuery, useCall } from './use-call.ts';

/** What comes of a call is drawn once it was sent. */
const LiveView = lazy(async () => ({ default: (await import('./live-view.tsx')).LiveView }));
const SnippetTabs = lazy(async () => ({ default: (await import('./snippet-tabs.tsx')).SnippetTabs }));

const route = getRouteApi('/agents/$name/skills/$skill');

export function Try() {
  const { name, skill: id } = route.useParams();
  const agent = useAgent(name);
  const skill = agent.card?.skills.find((one) => one.id === id);
  if (!skill) return <Empty title={`${name} has no skill ${id}`}>{agent.card ? `It has ${agent.skills.join(', ')}.` : 'Nothing of it is deployed yet.'}</Empty>;
  return <TrySkill key={`${name} ${id}`} agent={agent} skill={skill} />;
}

function TrySkill({ agent, skill }: { agent: ShownAgent; skill: Skill }) {
  const { name } = agent;
  const { run: runId } = route.useSearch();
  const navigate = route.useNavigate();
  const { authenticated } = useSession();
  const [value, setValue] = useDraft(name, skill.id);
  const [sent, setSent] = useState<unknown>();
  const draft = useDraftName(`try ${skill.id}`);
  const called = { agent: name, skill: skill.id };
  // "Back" leads to the form as it was, and not away from the page.
  const call = useCall(called, authenticated ? runId : undefined, (run) => void navigate({ search: (before) => ({ ...before, run }), resetScroll: false }));
  useInputOf(runId, draft, value, setValue);
  const issues = issuesOf(call.live, call.error).filter(() => sent === value);
  const run = (): void => {
    if (!authenticated || whyNot(agent) !== undefined) return;
    setSent(value);
    call.start(isObject(value) ? value : {});
  };
  const hasSucceeded = call.live?.state === 'succeeded';
  useEffect(() => {
    if (hasSucceeded) dropDraft(draft);
  }, [hasSucceeded, draft]);
  const outcome = useRef<HTMLDivElement>(null);
  const isShown = call.live !== undefined;
  useEffect(() => {
    if (isShown) outcome.current?.scrollIntoView({ block: 'nearest' });
  }, [isShown]);
  return (
    <Stack gap="lg">
      <SkillChoice agent={agent} skill={skill} />
      <Grid gap="xl">
        <Grid.Col span={{ base: 12, md: 6 }}>
          <Stack>
            <SetupFirst agent={agent} />
            <CheckedForm
              schema={skill.input_schema}
              value={value}
              onChange={setValue}
              onSubmit={run}
              issues={issues}
              label={`Arguments of ${skill.id}`}
              draft={draft}
            >
              <Buttons agent={agent} live={call.isGoing ? call.live : undefined} onStop={call.stop} />
            </CheckedForm>
          </Stack>
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 6 }}>
          <Stack ref={outcome} pos={{ md: 'sticky' }} top={76}>
            {call.error && <Failure error={call.error} />}
            {call.live && !(call.error && call.live.state === 'starting') && (
              <Suspense>
                <LiveView key={call.live.runId ?? ''} live={call.live} called={called} />
              </Suspense>
            )}
            {!call.live && !call.error && (runId === undefined ? <NothingYet /> : <Skeleton h={120} aria-busy="true" aria-label="Loading" />)}
          </Stack>
        </Grid.Col>
      </Grid>
      <Suspense>
        <SnippetTabs agent={agent} skill={skill} value={value} />
      </Suspense>
    </Stack>
  );
}

/** Of the run with which the page opened, where nothing else was typed since. */
function useInputOf(runId: string | undefined, draft: string, value: unknown, setValue: (value: unknown) => void): void {
  const { authenticated } = useSession();
  const [opened] = useState(() => (value === undefined ? runId : undefined));
  const { data } = useQuery({ ...read('myRuns', 'get', { params: { run_id: opened ?? '' } }), enabled: opened !== undefined && authenticated, retry: false });
  const input = data?.input;
  useEffect(() => {
    if (isObject(input) && readDraft(draft) === undefined) setValue(input);
  }, [input !== undefined]);
}

function NothingYet() {
  const { authenticated } = useSession();
  const { data } = useQuery({ ...keepingQuery, enabled: authenticated });
  return (
    <Paper withBorder p="md" style={{ borderStyle: 'dashed' }}>
      <Text size="sm" c="dimmed">
        {data?.kept === false
          ? 'Output and result appear here. Your account keeps no input and output of calls: a run ends when you leave this page, unless it waits for an answer.'
          : 'Output and result appear here. A run continues when you leave this page; you find it under Runs.'}
      </Text>
    </Paper>
  );
}

function SkillChoice({ agent, skill }: { agent: ShownAgent; skill: Skill }) {
  const navigate = useNavigate();
  const choose = (id: string): void => void navigate({ to: '/agents/$name/skills/$skill', params: { name: agent.name, skill: id } });
  return (
    <div>
      <NativeSelect
        label="Skill"
        maw="24rem"
        data={agent.card?.skills.map(({ id }) => id) ?? []}
        value={skill.id}
        onChange={({ currentTarget }) => choose(currentTarget.value)}
      />
      {skill.description !== '' && (
        <Text size="sm" mt="xs" dir="auto" maw="46rem" style={{ overflowWrap: 'anywhere', whiteSpace: 'pre-line' }}>
          {skill.description.slice(0, 2000)}
        </Text>
      )}
      <Costs price={agent.prices.find((price) => price.skill === skill.id)} isOwn={agent.mine === true} />
    </div>
  );
}

interface ButtonsProps {
  agent: ShownAgent;
  /** The run that goes on. */
  live: LiveCall | undefined;
  onStop: () => void;
}

function Buttons({ agent, live, onStop }: ButtonsProps) {
  const { authenticated } = useSession();
  const signIn = useSignInPath();
  const not = whyNot(agent);
  if (!authenticated) {
    return (
      <Group justify="end">
        <Button component="a" href={signIn} leftSection={<IconLogin2 size={15} />}>
          Sign in to call it
        </Button>
      </Group>
    );
  }
  return (
    <Group justify="end" gap="xs">
      {live && <Action label="Stop" onAct={onStop} leftSection={<IconPlayerStop size={15} />} />}
      {not === undefined ? (
        // One that waits for a person may wait for days.
        <Button type="submit" loading={live !== undefined && live.state !== 'waiting'} leftSection={<IconPlayerPlay size={15} />}>
          Run
        </Button>
      ) : (
        <Action label="Run" variant="filled" onAct={() => undefined} not={not} />
      )}
    </Group>
  );
}

/** What must be set before a call begins. */
function SetupFirst({ agent }: { agent: ShownAgent }) {
  const { authenticated } = useSession();
  const needs = authenticated && (agent.card?.consumer_setup?.length ?? 0) > 0;
  const { data } = useQuery({ ...read('consumerSetup', 'get', { params: { name: agent.name } }), enabled: needs });
  if (!data || data.complete) return null;
  return (
    <Alert color="orange" title={`It needs ${data.missing.join(', ')} of you first`}>
      <Anchor component={Link} to={`/agents/${encodeURIComponent(agent.name)}/setup`} size="sm">
        Set it
      </Anchor>
    </Alert>
  );
}

/** Of the arguments: what the platform or the agent refused, at its place in the form. */
function issuesOf(live: LiveCall | undefined, error: Error | undefined): { path: readonly (string | number)[]; message: string }[] {
  if (live?.refusal) return live.refusal.issues;
  return error ? explain(error).issues.map(({ path, message }) => ({ path: path[0] === 'body' ? path.slice(1) : path, message })) : [];
}
