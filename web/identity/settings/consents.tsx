// Owners of agents who may keep this account's runs as examples.
import { useRead, useSend } from '../../api/query.ts';
import { AskingAction } from '../../kit/action.tsx';
import { List } from '../../kit/list.tsx';
import { Empty, Section } from '../../kit/page.tsx';
import { PageLink } from '../../kit/page-link.tsx';
import { When } from '../../kit/when.tsx';

export function Consents() {
  const { items } = useRead('evaluations', 'consents', {});
  const withdrawing = useSend('evaluations', 'withdrawConsent', { done: 'The consent is taken back, and what was kept is deleted.' });
  return (
    <Section title="Consents" lead="Owners of these agents may keep your runs as examples to test new versions by.">
      <List
        label="Consents"
        pages={items}
        keyOf={({ agent }) => agent}
        empty={
          <Empty title="No owner may keep your runs." command="svc consent AGENT">
            You let an owner keep them at the page of the agent, or by this command.
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
            head: 'Take back',
            end: true,
            cell: ({ agent }) => (
              <AskingAction
                label="Take back"
                size="xs"
                question={`Take the consent for ${agent} back?`}
                loading={withdrawing.isPending && withdrawing.variables.params.agent === agent}
                onAct={() => withdrawing.mutate({ params: { agent } })}
              >
                What its owner kept of your runs is deleted.
              </AskingAction>
            ),
          },
        ]}
      />
    </Section>
  );
}
