// One trial room: the task, its contestants with their scores, and the answers of the one that is looked at.
import { Box, Button, Group, Text } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import type { Output } from '../../api/client.ts';
import { useRead } from '../../api/query.ts';
import { RequestForm } from '../../form/request-form.tsx';
import { Json } from '../../kit/code.tsx';
import { List, Under, type Column } from '../../kit/list.tsx';
import { PageLink } from '../../kit/page-link.tsx';
import { Empty, Facts, Page, Section } from '../../kit/page.tsx';
import { State } from '../../kit/state.tsx';
import { When } from '../../kit/when.tsx';
import { Contestant } from './contestant.tsx';
import { nameOf, points, signed } from './words.ts';

type Room = Output<'trialRooms', 'get'>;
type Run = Room['contestants'][number];
const route = getRouteApi('/trials/$slug');
const OPEN_MS = 2_000;

export function TrialRoom() {
  const { slug } = route.useParams();
  const { run, add } = route.useSearch();
  const navigate = route.useNavigate();
  const room = useRead('trialRooms', 'get', { params: { slug } }, { every: (last) => (last?.state === 'open' ? OPEN_MS : false) });
  const shown = room.contestants.find(({ run_id }) => run_id === run);
  const isHidden = room.contestants.some(({ contestant }) => contestant === null);
  return (
    <Page
      title={room.title}
      beside={<State of={room.state} />}
      crumbs={[{ label: 'Trial rooms', to: '/trials' }]}
      actions={room.state !== 'decided' && <Button onClick={() => void navigate({ search: { add: true } })}>Add contestants</Button>}
    >
      <Text style={{ whiteSpace: 'pre-wrap' }} dir="auto">
        {room.goal}
      </Text>
      <Facts
        of={{
          Cases: room.cases,
          'Cost limit': `$${(room.max_cost_cents / 100).toFixed(2)} a contestant`,
          'Time limit': `${room.max_runtime_seconds} s a case`,
          ...(room.input_paths.length > 0 && { Files: room.input_paths.join(', ') }),
          ...(room.on_deploy && { 'New versions': 'run automatically' }),
          Made: <When at={room.created_at} />,
        }}
      />
      {add === true && (
        <Section title="Add contestants" lead="Agents, or a model without an agent as a baseline. Each answers every case.">
          <Box maw={640}>
            <RequestForm
              group="trialRooms"
              route="run"
              keyed
              input={{ params: { slug } }}
              submit="Let them answer"
              done="They answer now."
              refresh={['trialRooms']}
              onDone={() => void navigate({ search: {} })}
              onCancel={() => void navigate({ search: {} })}
            />
          </Box>
        </Section>
      )}
      {room.decision && <Decision of={room.decision} room={room} />}
      <Section title="Contestants" {...(isHidden && { lead: 'Who they are is hidden until you have rated every one that has ended.' })}>
        <List
          label="Contestants"
          pages={room.contestants}
          columns={columnsOf(slug)}
          keyOf={({ run_id }) => run_id}
          empty={<Empty title="No agent has answered yet" command={`svc trials run ${slug} AGENT.SKILL`} />}
        />
      </Section>
      {shown && <Contestant room={room} run={shown} />}
      <Section title="Cases">
        <Json value={room.items} label="Cases" maxHeight={320} />
      </Section>
      {(room.acceptance_criteria.length > 0 || room.output_schema !== null) && (
        <Section title="What a good answer is">
          <Json value={{ criteria: room.acceptance_criteria, output_schema: room.output_schema }} label="What a good answer is" maxHeight={320} />
        </Section>
      )}
    </Page>
  );
}

function columnsOf(slug: string): Column<Run>[] {
  return [
    {
      head: 'Contestant',
      wide: true,
      cell: (run) => (
        <>
          <PageLink to="/trials/$slug" params={{ slug }} search={{ run: run.run_id }} fw={600} size="sm" style={{ overflowWrap: 'anywhere' }}>
            {nameOf(run)}
          </PageLink>
          <Under>
            {run.trigger === 'deploy' ? 'A new version' : `${run.results.filter(({ state }) => state === 'done').length} of ${run.results.length} answered`}
          </Under>
        </>
      ),
    },
    { head: 'State', cell: ({ state }) => <State of={state} /> },
    {
      head: 'Score',
      end: true,
      cell: ({ score }) =>
        score && (
          <>
            {points(score.mean)}
            {score.low < score.high && (
              <Under>
                {points(score.low)} to {points(score.high)}
              </Under>
            )}
          </>
        ),
    },
    { head: 'Rated', end: true, cell: ({ ratings }) => (ratings.mean === null ? '' : ratings.mean.toFixed(0)) },
    {
      head: 'Version before',
      cell: ({ compared }) =>
        compared && (
          <>
            {compared.verdict}
            <Under>{signed(compared.gain.mean)} points</Under>
          </>
        ),
    },
  ];
}

function Decision({ of: { run_id, reason, at, lead, standing }, room }: { of: NonNullable<Room['decision']>; room: Room }) {
  const chosen =
    room.contestants.find((run) => run.run_id === run_id) ?? standing.map((one) => ({ ...one, label: one.run_id })).find((one) => one.run_id === run_id);
  return (
    <Section title="Selected">
      <Group gap="xs">
        <Text fw={600}>{chosen ? nameOf(chosen) : run_id}</Text>
        <When at={at} />
      </Group>
      <Text size="sm" dir="auto" style={{ whiteSpace: 'pre-wrap' }}>
        {reason}
      </Text>
      {lead && (
        <Text size="sm" c="dimmed">
          {signed(lead.mean)} points over the best of the others ({signed(lead.low)} to {signed(lead.high)}).
        </Text>
      )}
    </Section>
  );
}
