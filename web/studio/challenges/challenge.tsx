// One challenge as it goes: what is tried, what is found, and the events of its job.
import { Group, Progress, ScrollArea, Stack, Text } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { useRead, useSend } from '../../api/query.ts';
import { AskingAction } from '../../kit/action.tsx';
import { Copyable } from '../../kit/copy.tsx';
import { List } from '../../kit/list.tsx';
import { PageLink } from '../../kit/page-link.tsx';
import { Empty, Facts, Section } from '../../kit/page.tsx';
import { State } from '../../kit/state.tsx';
import { When } from '../../kit/when.tsx';
import { FindingList } from './finding.tsx';
import { Frozen } from './frozen.tsx';
import { useChallengeEvents } from './use-events.ts';
import { sentenceOf } from './words.ts';

const route = getRouteApi('/agents/mine/$name/challenges/$jobId');
const OFTEN = 3_000;

export function Challenge() {
  const { name, jobId: job_id } = route.useParams();
  const params = { name, job_id };
  const one = useRead('adversarialReviewLoops', 'get', { params }, { every: (last) => last?.ended_at === null && OFTEN });
  const stop = useSend('adversarialReviewLoops', 'stop', { done: 'It stops. What it found is kept.' });
  const { events, state: stream } = useChallengeEvents(name, job_id);
  const { probes, findings } = one;
  const isOpen = one.ended_at === null;
  return (
    <Stack gap="xl">
      <Frozen name={name} />
      <Section
        title="Challenge"
        lead={
          <PageLink to="/agents/mine/$name/challenges" params={{ name }} inherit>
            All challenges of {name}
          </PageLink>
        }
        actions={
          isOpen && (
            <AskingAction label="Stop" question="Stop the challenge?" loading={stop.isPending} onAct={() => stop.mutate({ params })}>
              What it found is kept. What it put into your workspace and the agent’s memory is removed.
            </AskingAction>
          )
        }
      >
        <Facts
          of={{
            State: (
              <Group gap="sm">
                <State of={one.state} />
                {isOpen && <Progress value={probes.planned === 0 ? 0 : (100 * probes.done) / probes.planned} w={160} aria-label="Probes that are done" />}
                {isOpen && stream === 'waiting' && <Text size="sm">connecting again</Text>}
              </Group>
            ),
            Ended: one.error?.message,
            Found: `${findings.critical} critical, ${findings.warning} warnings, ${findings.info} notes`,
            Version: one.version ?? one.deploy_id,
            Skills: one.skills.join(', ') || 'none',
            Dry: one.dry.length > 0 ? one.dry.join(', ') : null,
            Round: `${one.iteration} of ${one.iterations}`,
            Probes: `${probes.done} of ${probes.planned}`,
            Spent: `${(one.spent_micros / 10_000).toFixed(1)} of ${one.budget_cents} cents`,
            Reviewer: one.reviewer,
            'Language model': one.model ?? 'None. With one it also tries calls that generators do not think of.',
            Seed: one.seed,
            Deadline: <When at={one.deadline_at} />,
            Job: <Copyable value={job_id} label="job id" />,
          }}
        />
      </Section>
      <Section title="Findings">
        <FindingList name={name} pages={one.shown} empty={<Empty title={isOpen ? 'Nothing was found so far.' : 'Nothing was found.'} />} />
      </Section>
      <Section title="What was tried">
        <List
          label="Attacks"
          pages={one.probes_by_attack}
          keyOf={({ attack, skill }) => `${attack} ${skill}`}
          empty={<Empty title="The first round is not planned yet." />}
          columns={[
            { head: 'Attack', wide: true, cell: ({ attack }) => attack },
            { head: 'Skill', cell: ({ skill }) => <code>{skill}</code> },
            { head: 'Probes', end: true, cell: ({ done, planned }) => `${done} of ${planned}` },
            { head: 'Calls', end: true, cell: ({ calls }) => calls },
            { head: 'Findings', end: true, cell: ({ findings: found }) => found },
          ]}
        />
      </Section>
      <Section title="Events" lead="Newest first.">
        <ScrollArea.Autosize mah={320} viewportProps={{ tabIndex: 0, 'aria-label': 'Events of the challenge', role: 'group' }}>
          <Stack gap={4} component="ol" m={0} pl={0} style={{ listStyle: 'none' }}>
            {events.length === 0 && (
              <Text component="li" size="sm" c="dimmed">
                No event yet.
              </Text>
            )}
            {events.toReversed().map(({ seq, kind, payload, at }) => (
              <Text component="li" key={seq} size="sm" dir="auto" style={{ overflowWrap: 'anywhere' }}>
                <When at={at} /> {sentenceOf(kind, payload)}
              </Text>
            ))}
          </Stack>
        </ScrollArea.Autosize>
      </Section>
    </Stack>
  );
}
