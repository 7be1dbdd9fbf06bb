// Challenges of an agent and what they found.
import { Button, Stack } from '@mantine/core';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { usePages } from '../../api/query.ts';
import { List, Under } from '../../kit/list.tsx';
import { PageLink } from '../../kit/page-link.tsx';
import { Empty, Section } from '../../kit/page.tsx';
import { State } from '../../kit/state.tsx';
import { When } from '../../kit/when.tsx';
import { FindingList } from './finding.tsx';
import { Frozen } from './frozen.tsx';
import { NewChallenge } from './new-challenge.tsx';

const route = getRouteApi('/agents/mine/$name/challenges');

export function Challenges() {
  const { name } = route.useParams();
  const { make, show } = route.useSearch();
  const navigate = useNavigate();
  const state = show === 'answered' ? 'all' : 'open';
  const loops = usePages('adversarialReviewLoops', 'list', { params: { name }, query: { limit: 20 } }, { every: 5_000 });
  const findings = usePages('findings', 'list', { params: { name }, query: { limit: 50, state } });
  const go = (search: { make?: 'new' }): void => void navigate({ to: '/agents/mine/$name/challenges', params: { name }, search });
  if (make === 'new') return <NewChallenge name={name} onClose={() => go({})} />;
  return (
    <Stack gap="xl">
      <Frozen name={name} />
      <Section
        title="Findings"
        lead={state === 'open' ? 'Findings without an answer.' : 'All of them, newest first.'}
        actions={
          <PageLink to="/agents/mine/$name/challenges" params={{ name }} search={state === 'open' ? { show: 'answered' } : {}} size="sm">
            {state === 'open' ? 'Show answered ones too' : 'Show open ones'}
          </PageLink>
        }
      >
        <FindingList
          name={name}
          pages={findings}
          empty={
            <Empty title={state === 'open' ? 'No finding is open.' : 'Nothing was found yet.'}>
              Challenges of the running agent and critical findings of its reviews come here.
            </Empty>
          }
        />
      </Section>
      <Section
        title="Challenges"
        lead="Generated calls that try to make the live version misbehave."
        actions={<Button onClick={() => go({ make: 'new' })}>New challenge</Button>}
      >
        <List
          label="Challenges"
          pages={loops}
          keyOf={({ job_id }) => job_id}
          empty={
            <Empty title="No challenges yet." command={`svc challenge ${name} --follow`}>
              Or begin here, with “New challenge”.
            </Empty>
          }
          columns={[
            {
              head: 'Of',
              wide: true,
              cell: ({ job_id, version, skills, dry, deploy_id }) => (
                <>
                  <PageLink to="/agents/mine/$name/challenges/$jobId" params={{ name, jobId: job_id }} size="sm">
                    {version ?? deploy_id}
                  </PageLink>
                  <Under>
                    {skills.join(', ')}
                    {dry.length > 0 && ` (dry: ${dry.join(', ')})`}
                  </Under>
                </>
              ),
            },
            { head: 'State', cell: ({ state: of }) => <State of={of} /> },
            { head: 'Critical', end: true, cell: ({ findings: { critical } }) => critical },
            { head: 'Warnings', end: true, cell: ({ findings: { warning } }) => warning },
            { head: 'Probes', end: true, cell: ({ probes: { done, planned } }) => `${done} of ${planned}` },
            { head: 'Began', end: true, cell: ({ created_at }) => <When at={created_at} /> },
          ]}
        />
      </Section>
    </Stack>
  );
}
