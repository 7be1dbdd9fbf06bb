// Whether mail is served. The route is one of services: the operator makes a token for it that lasts a
// minute, and asks with that.
import { Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { client, type Output, send } from '../../api/client.ts';
import { useSession } from '../../session/session.ts';
import { Action } from '../../kit/action.tsx';
import { Failure } from '../../kit/failure.tsx';
import { List } from '../../kit/list.tsx';
import { Empty, Facts, Section } from '../../kit/page.tsx';
import { State } from '../../kit/state.tsx';
import { duration } from '../../kit/time.ts';
import { OperatorPage } from '../operator-page.tsx';
import { number } from '../../kit/number.ts';

const ROUTE = 'GET /v1/platform/mailboxes/health';
const TOKEN_SECONDS = 60;

type Health = Output<'agentMailboxes', 'health'>;

export function Mail() {
  const { user } = useSession();
  const asking = useMutation({ mutationFn: (userId: string) => healthBy(userId) });
  return (
    <OperatorPage
      title="Mail"
      lead="Mailboxes of agents: what waits, and which DNS records are missing."
      actions={<Action label="Look" variant="filled" loading={asking.isPending} onAct={() => user && asking.mutate(user.user_id)} />}
    >
      {asking.error && <Failure error={asking.error} />}
      {asking.data ? (
        <Shown health={asking.data} />
      ) : (
        <Empty title="Look, to ask the platform.">
          Only services of the platform may read this. &quot;Look&quot; makes a service token in your name for this one route, valid for {TOKEN_SECONDS}{' '}
          seconds; the audit log records it.
        </Empty>
      )}
    </OperatorPage>
  );
}

async function healthBy(userId: string): Promise<Health> {
  const body = { service: 'dashboard', routes: [ROUTE], expires_in_seconds: TOKEN_SECONDS };
  const { token } = await send('admin', 'createPlatformToken', { params: { user_id: userId }, body });
  return client.agentMailboxes.health(undefined, { headers: { authorization: `Bearer ${token}` } });
}

function Shown({ health }: { health: Health }) {
  const { served, domain, mailboxes, oldest_waiting_seconds: oldest } = health;
  if (!served) return <Empty title="This installation serves no mail.">Its operator names a mail domain: SVC_MAIL_DOMAIN.</Empty>;
  return (
    <>
      <Section title="Now">
        <Facts
          of={{
            Domain: domain,
            'Waits for a run': number(health.waiting_in),
            'Waits to be sent': number(health.waiting_out),
            'Waits longest': oldest === null ? 'nothing waits' : duration(oldest * 1000),
            'In 24 hours': `${number(health.received_24h)} received, ${number(health.sent_24h)} sent, ${number(health.failed_24h)} could not be sent`,
            Mailboxes: Object.entries(mailboxes)
              .filter(([, count]) => count > 0)
              .map(([state, count]) => `${number(count)} ${state}`)
              .join(', '),
          }}
        />
      </Section>
      <Section title="DNS records">
        <List
          label="DNS records"
          pages={health.dns_records}
          keyOf={({ type, name, value }) => `${type} ${name} ${value}`}
          empty={<Text size="sm">None is needed.</Text>}
          columns={[
            { head: 'Type', cell: ({ type }) => type },
            { head: 'Name', cell: ({ name }) => <code>{name}</code> },
            { head: 'Value', wide: true, cell: ({ value }) => <code>{value}</code> },
            { head: 'State', end: true, cell: ({ found }) => <State of={found === null ? 'unanswered' : found ? 'found' : 'missing'} /> },
          ]}
        />
      </Section>
    </>
  );
}
