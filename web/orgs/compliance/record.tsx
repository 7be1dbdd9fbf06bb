// One decision, with its signature as it stands now.
import { Alert } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { DECISION_KINDS } from '#contract/states.ts';
import { useRead } from '../../api/query.ts';
import { Json } from '../../kit/code.tsx';
import { InTerminal } from '../../kit/in-terminal.tsx';
import { Facts, Page, Section } from '../../kit/page.tsx';
import { State } from '../../kit/state.tsx';
import { When } from '../../kit/when.tsx';
import { inWords } from '../../kit/in-words.ts';

const route = getRouteApi('/organizations/$slug/compliance/records/$kind/$id');

export function Decision() {
  const { slug, kind: word, id } = route.useParams();
  const kind = DECISION_KINDS.find((one) => one === word) ?? 'skill_execution';
  const record = useRead('compliance', 'record', { params: { slug, kind, record_id: id } });
  const { action, outcome, agent, actor, recorded_at, occurred_at, signature_status, signature_problem, token, details } = record;
  return (
    <Page
      title={inWords(action)}
      beside={<State of={outcome} />}
      lead={inWords(kind)}
      crumbs={[{ label: `Compliance of ${slug}`, to: `/organizations/${slug}/compliance/records` }]}
    >
      {signature_problem !== null && (
        <Alert color="red" title="The signature does not hold">
          {signature_problem}
        </Alert>
      )}
      <Facts
        of={{
          Record: id,
          Agent: agent,
          By: `${actor.kind} ${actor.id ?? ''}`,
          Recorded: <When at={recorded_at} />,
          Ended: <When at={occurred_at} />,
          Signature: inWords(signature_status),
        }}
      />
      <Section title="Facts">
        <Json value={details} label="Facts" />
      </Section>
      {token !== null && (
        <Section title="Check it yourself" lead="With the published keys, without this page.">
          <InTerminal command={`svc compliance records get ${slug} ${id} --receipt receipt.txt && svc receipt verify --token @receipt.txt`} />
        </Section>
      )}
    </Page>
  );
}
