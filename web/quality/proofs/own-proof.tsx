// A proof of the user, published or not: in progress, and ended.
import { Stack } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import type { Output } from '../../api/client.ts';
import { useRead, useSend } from '../../api/query.ts';
import { AskingAction } from '../../kit/action.tsx';
import { Page, Section } from '../../kit/page.tsx';
import { RequestForm } from '../../form/request-form.tsx';
import { PageLink } from '../../kit/page-link.tsx';
import { State } from '../../kit/state.tsx';
import { ProofChecks, ProofContent, ProofFacts } from './proof-parts.tsx';
import { VerifiedProof } from './verified-proof.tsx';

const route = getRouteApi('/proofs/$proof_id');

function shownTo({ published, withdrawn }: Pick<Output<'agentProofs', 'get'>, 'published' | 'withdrawn'>): string {
  if (withdrawn) return 'that it was withdrawn';
  return published ? 'public, while the agent is public' : 'only to you';
}

export function OwnProof() {
  const { proof_id } = route.useParams();
  const proof = useRead('agentProofs', 'get', { params: { proof_id } }, { every: (last) => (last?.status === 'running' ? 1_000 : false) });
  const cancelling = useSend('workLedger', 'cancel', { done: 'It is being cancelled.', refresh: ['agentProofs', 'workLedger'] });
  const { job_id, run_id } = proof;
  return (
    <Page
      title={`Proof of ${proof.agent}.${proof.skill_name}`}
      crumbs={[{ label: 'Proofs', to: '/proofs' }]}
      beside={<State of={proof.status} />}
      actions={
        proof.status === 'running' &&
        job_id !== null && (
          <AskingAction
            label="Cancel it"
            size="xs"
            question="Cancel this proof?"
            loading={cancelling.isPending}
            onAct={() => cancelling.mutate({ params: { job_id } })}
          >
            Its run is cancelled, and nothing is signed.
          </AskingAction>
        )
      }
    >
      <Stack gap="xl">
        <ProofFacts
          proof={proof}
          more={{
            Shown: shownTo(proof),
            Job: job_id && (
              <PageLink to="/jobs/$job_id" params={{ job_id }} size="sm">
                {job_id}
              </PageLink>
            ),
            Run: run_id && (
              <PageLink to="/runs/$run_id" params={{ run_id }} size="sm">
                {run_id}
              </PageLink>
            ),
          }}
        />
        <ProofChecks proof={proof} />
        {proof.proof !== null && proof.receipt !== null && (
          <Section title="Checked in your browser">
            <VerifiedProof
              proof={proof.proof}
              receipt={proof.receipt}
              beside={{ agent: proof.agent, args: proof.args, ...(proof.has_result && proof.result !== null && { result: proof.result }) }}
            />
          </Section>
        )}
        <ProofContent proof={proof} />
        {proof.published && proof.proof !== null && proof.withdrawn === null && (
          <Section title="Withdraw it" lead="This is final. Readers see that it was withdrawn, when and why, but no longer its content.">
            <RequestForm
              group="agentProofs"
              route="withdraw"
              input={{ params: { proof_id } }}
              submit="Withdraw this proof"
              done="It is withdrawn."
              refresh={['agentProofs', 'public']}
            />
          </Section>
        )}
      </Stack>
    </Page>
  );
}
