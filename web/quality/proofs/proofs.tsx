// The proofs that one ran, and a form to run another.
import { Button, Paper, Stack, TextInput } from '@mantine/core';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { usePages } from '../../api/query.ts';
import { RequestForm } from '../../form/request-form.tsx';
import { List, Under } from '../../kit/list.tsx';
import { Empty, Page } from '../../kit/page.tsx';
import { ButtonLink, PageLink } from '../../kit/page-link.tsx';
import { State } from '../../kit/state.tsx';
import { When } from '../../kit/when.tsx';
import { inWords } from '../../kit/in-words.ts';

const route = getRouteApi('/proofs');

export function Proofs() {
  const { agent, run } = route.useSearch();
  const navigate = route.useNavigate();
  const proofs = usePages('agentProofs', 'list', { query: agent === undefined ? {} : { agent } }, { every: 5_000 });
  const show = (isOpen: boolean): void => void navigate({ search: { agent, ...(isOpen && { run: true as const }) } });
  return (
    <Page
      title="Proofs"
      lead="The platform performs a skill of an agent on one case, checks the outcome and signs what it found, with the receipt of the call."
      actions={run !== true && <Button onClick={() => show(true)}>Run a proof</Button>}
    >
      {run === true && <RunForm first={agent} onClose={() => show(false)} />}
      <List
        label="Proofs"
        pages={proofs}
        keyOf={({ proof_id }) => proof_id}
        empty={
          <Empty
            title="No proofs yet"
            action={
              <ButtonLink to="/proofs" search={{ run: true as const }} variant="light">
                Run a proof
              </ButtonLink>
            }
            command="svc proof create <agent> --skill <skill>"
          >
            This page lists your proofs, of any agent.
          </Empty>
        }
        columns={[
          {
            head: 'Proof',
            wide: true,
            cell: ({ proof_id, agent: name, skill_name, checks }) => (
              <>
                <PageLink to="/proofs/$proof_id" params={{ proof_id }} size="sm">
                  {name}.{skill_name}
                </PageLink>
                <Under>{checks.length === 0 ? proof_id : `${checks.filter(({ passed }) => passed).length} of ${checks.length} checks passed`}</Under>
              </>
            ),
          },
          { head: 'Version', cell: ({ version }) => version },
          { head: 'Verdict', cell: ({ status, stale }) => <State of={status} label={stale === null ? status : `${inWords(status)}, stale`} /> },
          { head: 'Shown', cell: ({ published, withdrawn }) => (withdrawn ? 'withdrawn' : published ? 'public' : 'to you') },
          { head: 'Started', cell: ({ created_at }) => <When at={created_at} /> },
        ]}
      />
    </Page>
  );
}

function RunForm({ first, onClose }: { first: string | undefined; onClose: () => void }) {
  const navigate = useNavigate();
  const [name, setName] = useState(first ?? '');
  const known = name.trim();
  return (
    <Paper withBorder p="md" component="section" aria-label="Run a proof">
      <Stack>
        <TextInput label="Agent" placeholder="text-kit" value={name} onChange={(event) => setName(event.currentTarget.value)} maw={320} />
        <RequestForm
          group="agentProofs"
          route="run"
          keyed
          input={{ params: { name: known } }}
          fields={['skill_name', 'args', 'seed', 'properties', 'deadline_seconds', 'budget_micros', 'publish']}
          submit="Run proof"
          done={({ proof_id }) => `${proof_id} started.`}
          onDone={({ proof_id }) => void navigate({ to: '/proofs/$proof_id', params: { proof_id } })}
          onCancel={onClose}
        />
      </Stack>
    </Paper>
  );
}
