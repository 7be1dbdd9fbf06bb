// How risky the organization's agents are, what they are for, and who oversees them.
import { Box } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import type { Output } from '../../api/client.ts';
import { usePages } from '../../api/query.ts';
import { RequestForm } from '../../form/request-form.tsx';
import { List, Under, type Column } from '../../kit/list.tsx';
import { Empty, Section } from '../../kit/page.tsx';
import { PageLink } from '../../kit/page-link.tsx';
import { State } from '../../kit/state.tsx';
import { When } from '../../kit/when.tsx';
import { Advice } from '../../kit/advice.tsx';
import { Frame } from './frame.tsx';

type Profile = Output<'compliance', 'agents'>['items'][number];
type Version = Profile['history'][number];
const route = getRouteApi('/organizations/$slug/compliance/agents');

export function Agents() {
  const { slug } = route.useParams();
  const { rate } = route.useSearch();
  const pages = usePages('compliance', 'agents', { params: { slug }, query: { limit: 100 } });
  const rated = pages.items.find(({ agent }) => agent === rate);
  return (
    <Frame slug={slug} lead="An agent whose risk is unacceptable is taken out of the catalog, and is neither deployed nor published.">
      {rated && <Rate key={`${rated.agent} ${rated.version}`} slug={slug} of={rated} />}
      <List
        label="Agents"
        pages={pages}
        columns={columnsOf(slug)}
        keyOf={({ agent }) => agent}
        empty={<Empty title="No agents" command={`svc compliance agents ${slug}`} />}
      />
    </Frame>
  );
}

const columnsOf = (slug: string): Column<Profile>[] => [
  {
    head: 'Agent',
    wide: true,
    cell: ({ agent, intended_purpose, gaps }) => (
      <>
        <PageLink to="/organizations/$slug/compliance/agents" params={{ slug }} search={{ rate: agent }} size="sm" fw={600}>
          {agent}
        </PageLink>
        {intended_purpose !== '' && <Under>{intended_purpose}</Under>}
        {gaps.map((gap) => (
          <Under key={gap}>
            <Advice text={gap} />
          </Under>
        ))}
      </>
    ),
  },
  { head: 'Risk', cell: ({ risk_tier }) => <State of={risk_tier} /> },
  { head: 'Serves', cell: ({ live, visibility }) => (live ? visibility : 'no') },
  { head: 'Changed', cell: ({ updated_at }) => (updated_at === null ? <Under>never</Under> : <When at={updated_at} />) },
];

function Rate({ slug, of: { agent, risk_tier, intended_purpose, human_oversight, notes, version, history } }: { slug: string; of: Profile }) {
  const navigate = route.useNavigate();
  const close = (): void => void navigate({ search: {} });
  return (
    <Section title={agent}>
      <Box maw={640} mb="md">
        <RequestForm
          group="compliance"
          route="putAgent"
          input={{ params: { slug, agent_name: agent } }}
          initial={{ risk_tier, intended_purpose, human_oversight, notes, version }}
          fields={['risk_tier', 'intended_purpose', 'human_oversight', 'notes']}
          submit="Save"
          done="Saved."
          refresh={['compliance']}
          onDone={close}
          onCancel={close}
        />
      </Box>
      {history.length > 0 && <List label="Versions" pages={history} columns={VERSIONS} keyOf={(one) => String(one.version)} empty={null} />}
    </Section>
  );
}

const VERSIONS: Column<Version>[] = [
  { head: 'Version', cell: (one) => one.version },
  { head: 'Risk', cell: (one) => <State of={one.risk_tier} /> },
  {
    head: 'What it said',
    wide: true,
    cell: (one) => (
      <>
        {one.intended_purpose || '-'}
        {one.human_oversight !== '' && <Under>Oversight: {one.human_oversight}</Under>}
      </>
    ),
  },
  {
    head: 'By',
    cell: (one) => (
      <>
        <When at={one.changed_at} />
        <Under>{one.changed_by}</Under>
      </>
    ),
  },
];
