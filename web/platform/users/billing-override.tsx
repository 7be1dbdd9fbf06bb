import { Paper } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useRead } from '../../api/query.ts';
import { RequestForm } from '../../form/request-form.tsx';
import { Action } from '../../kit/action.tsx';
import { number } from '../../kit/number.ts';
import { Facts, Section } from '../../kit/page.tsx';
import { When } from '../../kit/when.tsx';

export function BillingOverride({ userId }: { userId: string }) {
  const params = { user_id: userId };
  const {
    funded_calls_per_agent: funded,
    expires_at: until,
    reason,
    in_force: inForce,
    version,
    updated_at: at,
  } = useRead('admin', 'billingOverride', { params });
  const [isOpen, { open, close }] = useDisclosure();
  return (
    <Section
      title="Billing override"
      lead="Calls that the platform funds for this account, where that differs from others."
      actions={<Action label="Change" size="xs" onAct={open} />}
    >
      {isOpen ? (
        <Paper withBorder p="md">
          <RequestForm
            key={version}
            group="admin"
            route="putBillingOverride"
            input={{ params }}
            initial={{ funded_calls_per_agent: funded, expires_at: until, reason, version }}
            fields={['funded_calls_per_agent', 'expires_at', 'reason']}
            submit="Set the override"
            done="The override is set."
            onDone={close}
            onCancel={close}
          />
        </Paper>
      ) : (
        <Facts
          of={{
            'In force': inForce ? 'yes' : 'no',
            'Funded calls of each agent': funded == null ? 'as the installation sets' : number(funded),
            Until: until && <When at={until} />,
            Reason: reason || null,
            Changed: at && <When at={at} />,
          }}
        />
      )}
    </Section>
  );
}
