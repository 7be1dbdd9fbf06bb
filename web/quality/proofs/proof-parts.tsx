// What a proof's own page and its public page show alike.
import { Paper, Stack, Text } from '@mantine/core';
import type { Output } from '../../api/client.ts';
import { Json } from '../../kit/code.tsx';
import { Copyable } from '../../kit/copy.tsx';
import { Facts, Section } from '../../kit/page.tsx';
import { PageLink } from '../../kit/page-link.tsx';
import { State } from '../../kit/state.tsx';
import { duration } from '../../kit/time.ts';
import { When } from '../../kit/when.tsx';
import { CheckLine } from '../../evidence/receipts/verified.tsx';
import { CASES, STALE } from './words.ts';
import { inWords } from '../../kit/in-words.ts';

export type ShownProof = Output<'public', 'proof'>;

export function ProofFacts({ proof, more = {} }: { proof: ShownProof; more?: Parameters<typeof Facts>[0]['of'] }) {
  return (
    <Facts
      of={{
        Proof: <Copyable value={proof.proof_id} label="proof id" />,
        Agent: (
          <PageLink to="/agents/$name" params={{ name: proof.agent }} size="sm">
            {proof.agent} {proof.version}
          </PageLink>
        ),
        Skill: <code>{proof.skill_name}</code>,
        Verdict: (
          <>
            <State of={proof.status} /> {proof.error?.message}
          </>
        ),
        Now: STALE[proof.stale ?? 'current'],
        Withdrawn: proof.withdrawn && (
          <>
            <When at={proof.withdrawn.at} />: {proof.withdrawn.reason}
          </>
        ),
        'Run by': proof.run_by === 'owner' ? 'the owner of the agent' : 'a user who may call it',
        Arguments: `${CASES[proof.case]}${proof.seed === null ? '' : `, seed ${proof.seed}`}`,
        Started: <When at={proof.created_at} />,
        Took: proof.elapsed_ms === null ? null : duration(proof.elapsed_ms),
        Commit: proof.head_sha && <code>{proof.head_sha}</code>,
        Image: proof.image && <code>{proof.image}</code>,
        'SHA-256 of the card': <code>{proof.card_hash}</code>,
        'SHA-256 of the proof': proof.proof_hash && <code>{proof.proof_hash}</code>,
        ...more,
      }}
    />
  );
}

export function ProofChecks({ proof }: { proof: ShownProof }) {
  if (proof.checks.length === 0) return null;
  return (
    <Section title="Checks of the outcome">
      <Paper withBorder p="md" component="ul" m={0} aria-label="Checks of the outcome" style={{ listStyle: 'none' }}>
        {proof.checks.map(({ name, passed, reason, property }) => (
          <CheckLine key={name} check={{ name: inWords(name), is: passed ? 'passed' : 'failed', says: reason ?? (property ? JSON.stringify(property) : '') }} />
        ))}
      </Paper>
    </Section>
  );
}

export function ProofContent({ proof }: { proof: ShownProof }) {
  return (
    <Section title="The case">
      <Stack gap="md">
        <Titled title="Arguments" value={proof.args} />
        {proof.has_result && proof.result !== null ? (
          <Titled title="Result" value={proof.result} />
        ) : (
          <Text size="sm" c="dimmed">
            {proof.has_result ? 'The result is empty, or too long to be kept with its proof.' : 'There is no result.'}
          </Text>
        )}
        {proof.file_ops.length > 0 && <Titled title="Files" value={proof.file_ops} />}
      </Stack>
    </Section>
  );
}

function Titled({ title, value }: { title: string; value: unknown }) {
  return (
    <div>
      <Text size="sm" c="dimmed" mb={4}>
        {title}
      </Text>
      <Json value={value} label={title} />
    </div>
  );
}
