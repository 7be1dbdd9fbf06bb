// A proof with its receipt, checked in this browser with the published keys.
import { Alert, Paper, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { IconAlertTriangle, IconCheck, IconX } from '@tabler/icons-react';
import { type BesideProof, checkProof } from '#contract/wire/proof-check.ts';
import { Failure } from '../../kit/failure.tsx';
import { verifySignature } from '../../kit/ed25519.ts';
import { keysQuery } from '../../evidence/receipts/loaded.ts';
import { CheckLine } from '../../evidence/receipts/verified.tsx';

export interface VerifiedProofProps {
  proof: string;
  receipt: string;
  beside: BesideProof;
}

export function VerifiedProof({ proof, receipt, beside }: VerifiedProofProps) {
  const keys = useQuery(keysQuery);
  const published = keys.data?.keys;
  const { data: verdict, error } = useQuery({
    queryKey: ['verified proof', proof, receipt, beside, published],
    enabled: published !== undefined,
    retry: false,
    queryFn: () => checkProof({ proof, receipt, keys: published ?? [], verify: verifySignature, beside }),
  });
  const failure = keys.error ?? error;
  if (failure) return <Failure error={failure} {...(keys.error && { onRetry: () => void keys.refetch() })} />;
  if (!verdict)
    return (
      <Text size="sm" c="dimmed" aria-busy="true" role="status">
        Checking…
      </Text>
    );
  const { isAuthentic, findings, proof: payload } = verdict;
  return (
    <Stack gap="md">
      <Alert {...lookOf(isAuthentic, payload?.status)}>
        {isAuthentic ? 'This browser checked it with the keys that are published here.' : 'The failed checks are listed below, with their meaning.'}
      </Alert>
      <Paper withBorder p="md" component="ul" m={0} aria-label="Checks of the documents" style={{ listStyle: 'none' }}>
        {findings.map((finding) => (
          <CheckLine key={finding.name} check={finding} />
        ))}
      </Paper>
    </Stack>
  );
}

function lookOf(isAuthentic: boolean, status: string | undefined) {
  if (!isAuthentic) return { color: 'red', icon: <IconX size={18} />, title: 'The proof does not hold.' };
  if (status === 'passed') return { color: 'teal', icon: <IconCheck size={18} />, title: 'The proof holds, and it passed.' };
  return { color: 'orange', icon: <IconAlertTriangle size={18} />, title: 'The proof is valid; the skill failed.' };
}
