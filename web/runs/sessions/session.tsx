// The signed log of one run, checked in this browser while it is read.
import { Alert, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { IconCheck, IconClock, IconX } from '@tabler/icons-react';
import { useEffect, useMemo, useReducer, useState } from 'react';
import { keyBytes, verifySignature } from '../../kit/ed25519.ts';
import { keysQuery } from '../../evidence/receipts/loaded.ts';
import { Copyable } from '../../kit/copy.tsx';
import { Failure } from '../../kit/failure.tsx';
import { Facts, Loading, Page, Section } from '../../kit/page.tsx';
import { PageLink } from '../../kit/page-link.tsx';
import { State } from '../../kit/state.tsx';
import { When } from '../../kit/when.tsx';
import { readSession } from './read-session.ts';
import { SessionLines } from './session-lines.tsx';
import { SessionLog } from './session-log.ts';

const route = getRouteApi('/sessions/$session_id');

export function SessionPage() {
  const { session_id: id } = route.useParams();
  const { log, error } = useSessionLog(id);
  const { header, seal, events } = log;
  const title = header ? `${header.agent}.${header.skill}` : 'Session';
  if (error) return <Page title="Session"><Failure error={error} /></Page>; // prettier-ignore
  if (!header) return <Loading />;
  return (
    <Page
      title={title}
      crumbs={[{ label: 'Runs', to: '/runs' }]}
      beside={seal && <State of={seal.state} />}
      lead="The events of one run, each with the hash of what came before it; the last line signs the whole."
    >
      <Verdict log={log} />
      <Facts
        of={{
          Session: <Copyable value={id} label="session id" />,
          Agent: (
            <PageLink to="/runs" search={{ agent: header.agent }} inherit>
              {header.agent} {header.version}
            </PageLink>
          ),
          Run: (
            <PageLink to="/runs/$run_id" params={{ run_id: header.run_id }} inherit>
              {header.run_id}
            </PageLink>
          ),
          Began: <When at={header.started_at} />,
          Ended: seal && <When at={seal.ended_at} />,
          Receipt: seal?.receipt_id && (
            <PageLink to="/receipts" search={{ agent: header.agent, id: seal.receipt_id }} inherit>
              {seal.receipt_id}
            </PageLink>
          ),
          'SHA-256 of the arguments': <code>{header.input_sha256}</code>,
        }}
      />
      <Section title="Events">
        {events.length === 0 ? (
          <Text size="sm" c="dimmed">
            {seal ? 'It has none: its caller waited for the answer, and got the events itself.' : 'None yet.'}
          </Text>
        ) : (
          <SessionLines events={events} count={events.length} />
        )}
      </Section>
    </Page>
  );
}

function useSessionLog(id: string): { log: SessionLog; error: Error | undefined } {
  const log = useMemo(() => new SessionLog(), [id]);
  const [, redraw] = useReducer((count: number) => count + 1, 0);
  const [error, setError] = useState<Error>();
  useEffect(() => {
    const stop = new AbortController();
    readSession(id, log, redraw, stop.signal).catch((reason: unknown) => setError(reason instanceof Error ? reason : new Error(String(reason))));
    return () => stop.abort();
  }, [id, log]);
  return { log, error };
}

function Verdict({ log }: { log: SessionLog }) {
  const keys = useQuery(keysQuery).data?.keys;
  const { data: fault } = useQuery({
    queryKey: ['session signature', log.header?.session_id, log.seal?.signature, log.fault, keys],
    enabled: keys !== undefined && (log.seal !== undefined || log.fault !== undefined),
    queryFn: async () => (await log.signatureFault((kid) => keyOf(keys ?? [], kid), verifySignature)) ?? null,
  });
  if (!log.seal && log.fault === undefined)
    return (
      <Alert color="blue" icon={<IconClock size={18} />} title="The session has not ended.">
        Its events hold so far; it is signed when it ends.
      </Alert>
    );
  if (fault === undefined) return <Text size="sm" aria-busy="true" role="status">Checking…</Text>; // prettier-ignore
  if (fault === null)
    return (
      <Alert color="teal" icon={<IconCheck size={18} />} title="The log holds.">
        No line is missing, moved or changed, and it is signed by a key that is published here.
      </Alert>
    );
  return (
    <Alert color="red" icon={<IconX size={18} />} title="The log does not hold.">
      {fault} Do not rely on what comes after it.
    </Alert>
  );
}

function keyOf(keys: readonly { kid: string; public_key: string }[], kid: string): Uint8Array | undefined {
  const key = keys.find((one) => one.kid === kid);
  return key && keyBytes(key.public_key);
}
