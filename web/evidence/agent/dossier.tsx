// What an agent claims, what was checked of it, what it may do, and what is open.
import { Alert, Group, List, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Output } from '../../api/client.ts';
import { useRead } from '../../api/query.ts';
import { Facts, Section } from '../../kit/page.tsx';
import { State } from '../../kit/state.tsx';
import { duration } from '../../kit/time.ts';
import { When } from '../../kit/when.tsx';
import { LeftOut } from './left-out.tsx';
import { TRUST_LOOK, words } from './words.ts';
import { number } from '../../kit/number.ts';

type DossierOut = Output<'agentEvidence', 'dossier'>;

export function Dossier({ name }: { name: string }) {
  const dossier = useRead('agentEvidence', 'dossier', { params: { name } }, { every: 30_000 });
  const { trust, risk, redaction } = dossier;
  return (
    <Section title="Dossier" lead="What it claims, and what of that was checked." actions={<State of={TRUST_LOOK[trust.state]} label={trust.state} />}>
      <Stack gap="md">
        <Text size="sm">
          {trust.reason}
          {trust.checked_at !== null && (
            <>
              {' '}
              Last checked <When at={trust.checked_at} />.
            </>
          )}
        </Text>
        {risk.open && <Risks of={risk.items} />}
        <Facts of={factsOf(dossier)} />
        <LeftOut of={redaction} />
      </Stack>
    </Section>
  );
}

function Risks({ of }: { of: DossierOut['risk']['items'] }) {
  return (
    <Alert color={of.some(({ severity }) => severity === 'critical') ? 'red' : 'orange'} title="Open" role="status">
      <List size="sm" spacing={4}>
        {of.map(({ code, message, at }) => (
          <List.Item key={code}>
            {message}
            {at !== null && (
              <>
                {' '}
                <When at={at} />
              </>
            )}
          </List.Item>
        ))}
      </List>
    </Alert>
  );
}

function factsOf({ live, claims, authority, quality, ownership }: DossierOut): Record<string, ReactNode> {
  const { calls, failed, p50_ms, p95_ms, review, proofs, trial } = quality;
  return {
    Live: live ? (
      <>
        {live.version ?? 'no version'}, deployment {live.number}
        {live.live_at !== null && (
          <>
            , deployed <When at={live.live_at} />
          </>
        )}
      </>
    ) : (
      'no version'
    ),
    Skills:
      claims.skills.length === 0 ? 'none declared' : claims.skills.map(({ id, destructive }) => (destructive === true ? `${id} (destructive)` : id)).join(', '),
    'May reach': authority.hosts.length === 0 ? 'no hosts' : authority.hosts.join(', '),
    'Files of callers':
      authority.files.length === 0 ? 'none' : `${words(authority.files.join(', '))}${authority.needs_approval ? '; a person approves each use' : ''}`,
    Grants: authority.grants && `${authority.grants.active} active, ${authority.grants.revoked} revoked, of the newest ${authority.grants.of_newest}`,
    Review: review ? (
      <Group gap="xs">
        <State of={review.state} />
        <span>
          {`${review.critical} critical, ${review.warning} warnings, `}
          <When at={review.at} />
        </span>
      </Group>
    ) : (
      'none of the live version'
    ),
    Proofs:
      proofs.last_at === null ? (
        'none of the live version'
      ) : (
        <>
          {proofs.passed} passed, {proofs.failed} failed, the last <When at={proofs.last_at} />
        </>
      ),
    Trial: trial && `${trial.passed} of ${trial.items} passed on ${trial.dataset}`,
    Calls: `of the newest ${number(calls)} ${number(failed)} failed${p50_ms === null || p95_ms === null ? '' : `; p50 ${duration(p50_ms)}, p95 ${duration(p95_ms)}`}`,
    Here: (
      <>
        registered <When at={ownership.since} />, {ownership.deployments} {ownership.deployments === 1 ? 'deployment' : 'deployments'}
      </>
    ),
  };
}
