// A published proof, public.
import { Stack, Text } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { useRead } from '../../api/query.ts';
import { useAgent } from '../../agents/registry/agent-data.ts';
import { Section } from '../../kit/page.tsx';
import { PageLink } from '../../kit/page-link.tsx';
import { InTerminal } from '../../kit/in-terminal.tsx';
import { ProofChecks, ProofContent, ProofFacts } from './proof-parts.tsx';
import { VerifiedProof } from './verified-proof.tsx';

const route = getRouteApi('/agents/$name/proofs/$proof_id');

export function PublicProof() {
  const { name, proof_id } = route.useParams();
  const proof = useRead('public', 'proof', { params: { name, proof_id } });
  const { card } = useAgent(name);
  return (
    <Stack gap="xl">
      <PageLink to="/agents/$name/proofs" params={{ name }} size="sm">
        All proofs of {name}
      </PageLink>
      <ProofFacts proof={proof} />
      {proof.withdrawn ? (
        <Text size="sm">Its owner withdrew this proof. It stays in the list; its arguments, its result and its checks are no longer shown.</Text>
      ) : (
        <>
          <ProofChecks proof={proof} />
          <Section title="Checked in your browser">
            {proof.proof !== null && proof.receipt !== null && (
              <VerifiedProof
                proof={proof.proof}
                receipt={proof.receipt}
                beside={{
                  agent: name,
                  args: proof.args,
                  ...(proof.has_result && proof.result !== null && { result: proof.result }),
                  // The card of another version is not what the proof is of.
                  ...(card && proof.stale !== 'version_changed' && { card }),
                }}
              />
            )}
            <InTerminal command={`svc proof verify ${name}`} />
          </Section>
          <ProofContent proof={proof} />
        </>
      )}
    </Stack>
  );
}
