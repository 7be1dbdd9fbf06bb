// Owners of agents who may keep this account's runs as examples.
import { useRead, useSend } from '../../api/query.ts';
import { AskingAction } from '../../kit/action.tsx';
import { List } from '../../kit/list.tsx';
import { Empty, Section } from '../../kit/page.tsx';
import { PageLink } from '../../kit/page-link.tsx';
import { When } from '../../kit/when.tsx';

export function Consents() {
  const { items } = useRead('evaluations', 'consents', {});
  const withdrawing = useSend('evaluations', 'withdrawConsent', { done: 'Consent withdrawn. The stored runs are deleted.' });
  return (
    <Section title="Consents" lead="Owners of these agents may keep your runs as examples to test new versions by.">
      <List
        label="Consents"
        pages={items}
        keyOf={({ agent }) => agent}
        empty={
          <Empty title="No owner may keep your runs." command="svc consent AGENT">
            Allow it on the page of the agent, or with this command.
          </Empty>
        }
        columns={[
          {
            head: 'Agent',
            wide: true,
            cell: ({ agent }) => (
              <PageLink to="/agents/$name" params={{ name: agent }} size="sm">
                {agent}
              </PageLink>
            ),
          },
          { head: 'Since', cell: ({ created_at }) => <When at={created_at} /> },
          {
            head: 'Withdraw',
            end: true,
            cell: ({ agent }) => (
              <AskingAction
                label="Withdraw"
                size="xs"
                question={`Withdraw the consent for ${agent}?`}
                loading={withdrawing.isPending && withdrawing.variables.params.agent === agent}
                onAct={() => withdrawing.mutate({ params: { agent } })}
              >
                The runs of yours that its owner stored are deleted.
              </AskingAction>
            ),
          },
        ]}
      />
    </Section>
  );
}
