// An agent by its published proofs, with its badge. Public.
import { Group, Stack, Text } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { useAgent } from '../../agents/registry/agent-data.ts';
import type { Item } from '../../api/query.ts';
import { usePages, useRead } from '../../api/query.ts';
import { visit } from '../../api/visit.ts';
import { Code } from '../../kit/code.tsx';
import { List, Under } from '../../kit/list.tsx';
import { Empty, Facts, Section } from '../../kit/page.tsx';
import { ButtonLink, PageLink } from '../../kit/page-link.tsx';
import { State } from '../../kit/state.tsx';
import { When } from '../../kit/when.tsx';
import { STANDINGS } from './words.ts';
import { inWords } from '../../kit/in-words.ts';

const route = getRouteApi('/agents/$name/proofs');

export function AgentProofs() {
  const { name } = route.useParams();
  const { mine } = useAgent(name);
  const answer = useRead('public', 'latestProof', { params: { name } });
  const proofs = usePages('public', 'proofs', { query: { agent: name } });
  if (!('standing' in answer)) return null;
  const { standing, live, all, max_age_days } = answer;
  const badge = `${visit().origin}/v1/public/agents/${name}/proof/latest?format=svg`;
  // A browser keeps the picture for minutes: one that says something else has another address.
  const shown = `${badge}&of=${[standing, live.passed, live.failed, all.passed, all.failed].join('-')}`;
  return (
    <Stack gap="xl">
      <Facts
        of={{
          Standing: (
            <>
              <State of={standing} /> {STANDINGS[standing]}
            </>
          ),
          'Version that runs': `${live.passed} of ${live.passed + live.failed} passed`,
          'All versions': `${all.passed} of ${all.passed + all.failed} passed`,
          'Old after': `${max_age_days} days`,
        }}
      />
      <Section
        title="Published proofs"
        lead="The platform performed a skill on one case, checked the outcome and signed what it found. Whether a proof is shown was decided before it ran."
        actions={
          mine && (
            <ButtonLink to="/proofs" search={{ agent: name, run: true }} variant="default">
              Run a proof
            </ButtonLink>
          )
        }
      >
        <ProofList name={name} proofs={proofs} />
      </Section>
      <Section title="Badge" lead="For a README or a page.">
        <Group mb="sm">
          <img src={shown} alt={`Badge of the proofs of ${name}: ${standing}`} height={20} />
        </Group>
        <Code text={`[![proofs](${badge})](${visit().origin}/agents/${name}/proofs)`} label="Badge in Markdown" />
        <Text size="sm" c="dimmed" mt="xs">
          Badge services read <code>/v1/public/agents/{name}/proof/latest?format=badge</code>.
        </Text>
      </Section>
    </Stack>
  );
}

function ProofList({ name, proofs }: { name: string; proofs: Parameters<typeof List<Item<'public', 'proofs'>>>[0]['pages'] }) {
  return (
    <List
      label={`Published proofs of ${name}`}
      pages={proofs}
      keyOf={({ proof_id }) => proof_id}
      empty={
        <Empty title="No proofs yet" command={`svc proof create ${name} --skill <skill>`}>
          The owner of the agent publishes proofs of it.
        </Empty>
      }
      columns={[
        {
          head: 'Proof',
          wide: true,
          cell: ({ proof_id, checks, withdrawn }) => (
            <>
              <PageLink to="/agents/$name/proofs/$proof_id" params={{ name, proof_id }} size="sm" ff="monospace">
                {proof_id}
              </PageLink>
              <Under>{withdrawn ? withdrawn.reason : `${checks.filter(({ passed }) => passed).length} of ${checks.length} checks passed`}</Under>
            </>
          ),
        },
        { head: 'Skill', cell: ({ skill_name }) => <code>{skill_name}</code> },
        { head: 'Version', cell: ({ version }) => version },
        {
          head: 'Verdict',
          cell: ({ status, stale, withdrawn }) => (
            <State of={withdrawn ? 'withdrawn' : status} label={withdrawn ? 'withdrawn' : stale === null ? status : `${inWords(status)}, stale`} />
          ),
        },
        { head: 'When', cell: ({ created_at }) => <When at={created_at} /> },
      ]}
    />
  );
}
