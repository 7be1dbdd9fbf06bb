// One proposal of the autopilot with what it rests on, and the decision about it.
import { List as Bullets, Text } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import type { Output } from '../../api/client.ts';
import { useRead } from '../../api/query.ts';
import { PageLink } from '../../kit/page-link.tsx';
import { Facts, Page, Section } from '../../kit/page.tsx';
import { State } from '../../kit/state.tsx';
import { When } from '../../kit/when.tsx';
import { Decide } from './decide.tsx';
import { inWords } from '../../kit/in-words.ts';

type Proposal = Output<'agentStudio', 'proposal'>;
const route = getRouteApi('/studio/autopilot/$proposal_id');

export function ProposalPage() {
  const { proposal_id } = route.useParams();
  const proposal = useRead('agentStudio', 'proposal', { params: { proposal_id } });
  const { agent, title, state, severity, category, idea, rationale, evidence, run_id, reason, created_at, expires_at, decided_at } = proposal;
  return (
    <Page
      title={title}
      beside={<State of={state} />}
      crumbs={[
        { label: 'Studio', to: '/studio' },
        { label: 'Autopilot', to: '/studio/autopilot' },
      ]}
    >
      <Facts
        of={{
          Agent: (
            <PageLink to="/agents/mine/$name" params={{ name: agent }} inherit>
              {agent}
            </PageLink>
          ),
          'What to do': idea,
          Why: rationale,
          About: inWords(category),
          Severity: inWords(severity),
          Made: <When at={created_at} />,
          'Open until': state === 'open' ? <When at={expires_at} /> : null,
          Decided: decided_at && <When at={decided_at} />,
          'You said': reason || null,
          'Carried out by': run_id && (
            <PageLink to="/studio/runs/$run_id" params={{ run_id }} inherit>
              A run of the studio
            </PageLink>
          ),
        }}
      />
      <Section title="Basis">
        {evidence.length === 0 && (
          <Text size="sm" c="dimmed">
            Nothing was stored.
          </Text>
        )}
        <Bullets size="sm">
          {evidence.map((one, at) => (
            <Bullets.Item key={at} dir="auto" style={{ overflowWrap: 'anywhere' }}>
              <Evidence of={one} agent={agent} />
            </Bullets.Item>
          ))}
        </Bullets>
      </Section>
      {state === 'open' && <Decide proposal={proposal} />}
    </Page>
  );
}

function Evidence({ of: { kind, id, text }, agent }: { of: Proposal['evidence'][number]; agent: string }) {
  if (id === null) return <>{text}</>;
  return (
    <>
      {text}{' '}
      {kind === 'run' ? (
        <PageLink to="/runs/$run_id" params={{ run_id: id }} inherit>
          The run
        </PageLink>
      ) : kind === 'receipt' ? (
        <PageLink to="/receipts" search={{ agent, id }} inherit>
          The receipt
        </PageLink>
      ) : kind === 'deployment' ? (
        <PageLink to="/agents/mine/$name/deployments/$deployId" params={{ name: agent, deployId: id }} inherit>
          The deployment
        </PageLink>
      ) : (
        <code>{id}</code>
      )}
    </>
  );
}
