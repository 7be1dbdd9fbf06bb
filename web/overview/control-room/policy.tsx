// The policy, its form, and who changed it when.
import { Alert, Paper, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { Output } from '../../api/client.ts';
import { RequestForm } from '../../form/request-form.tsx';
import { Action } from '../../kit/action.tsx';
import { FirstFew } from '../../kit/first-few.tsx';
import { List, Under, type Column } from '../../kit/list.tsx';
import { Facts, Section } from '../../kit/page.tsx';
import { When } from '../../kit/when.tsx';
import { number } from '../../kit/number.ts';

type Policy = Output<'controlRoom', 'get'>['policy'];
type Change = Output<'controlRoom', 'get'>['changes'][number];

// words: shown
const dollars = (cents: number | null): string => (cents === null ? 'none' : `$${(cents / 100).toFixed(2)}`);
// words: shown
const yes = (value: boolean): string => (value ? 'yes' : 'no');

const FIELDS = [
  'monthly_budget_cents',
  'run_budget_cents',
  'daily_budget_cents',
  'agent_daily_budget_cents',
  'person_daily_budget_cents',
  'max_agent_calls_per_run',
  'require_approval_for_file_writes',
  'deny_external_network',
  'only_approved_agents',
  'approved_agents',
  'pii_safe_mode',
] as const;

const CHANGES: Column<Change>[] = [
  { head: 'Changed', wide: true, cell: ({ changed }) => <Members of={changed} /> },
  { head: 'Version', end: true, cell: ({ version }) => version },
  { head: 'When', cell: ({ at }) => <When at={at} /> },
];

export function Policy({ policy, changes }: { policy: Policy; changes: Change[] }) {
  const [isOpen, { open, close }] = useDisclosure();
  return (
    <Section
      title="Policy"
      lead="The platform checks it before a run calls an agent, delegates files, writes, connects to the outside or spends. It applies to runs that work for you, and to runs of your agents."
      actions={<Action label="Change" size="xs" onAct={open} />}
    >
      <Stack gap="sm">
        {!policy.set && !isOpen && (
          <Alert color="orange" title="No limits are active">
            These are the defaults. The first change activates all of them.
          </Alert>
        )}
        {policy.machines_pending > 0 && <Alert color="orange">{policy.machines_pending} machines do not have the newest setting for outside access yet.</Alert>}
        {isOpen ? <Form policy={policy} onClose={close} /> : <Shown policy={policy} />}
        <FirstFew all={changes} name="changes" few={2}>
          {(shown) =>
            shown.length > 0 && <List label="Changes of the policy" pages={shown} columns={CHANGES} keyOf={({ version }) => String(version)} empty={null} />
          }
        </FirstFew>
      </Stack>
    </Section>
  );
}

function Form({ policy, onClose }: { policy: Policy; onClose: () => void }) {
  const initial = Object.fromEntries(FIELDS.map((name) => [name, policy[name]]));
  return (
    <Paper withBorder p="md">
      <RequestForm
        key={policy.version}
        group="controlRoom"
        route="setPolicy"
        input={{}}
        initial={{ ...initial, version: policy.version }}
        fields={[...FIELDS]}
        submit="Save policy"
        done={({ loosened }) => (loosened.length === 0 ? 'Policy saved.' : `Policy saved. Weaker than before: ${loosened.join(', ')}.`)}
        refresh={['controlRoom', 'policy']}
        onDone={onClose}
        onCancel={onClose}
      />
    </Paper>
  );
}

function Shown({ policy }: { policy: Policy }) {
  return (
    <Facts
      of={{
        'Monthly budget': dollars(policy.monthly_budget_cents),
        'Budget of one run': dollars(policy.run_budget_cents),
        'Daily budget': dollars(policy.daily_budget_cents),
        'Daily budget of an agent': dollars(policy.agent_daily_budget_cents),
        'Daily budget of a person': dollars(policy.person_daily_budget_cents),
        'Agent calls in a run': number(policy.max_agent_calls_per_run),
        'Approve file writes': yes(policy.require_approval_for_file_writes),
        'Block outside network': yes(policy.deny_external_network),
        'Only approved agents': policy.only_approved_agents ? policy.approved_agents.join(', ') || 'none approved' : 'no',
        'Remove personal data from model input': yes(policy.pii_safe_mode),
        'Active since': policy.changed_at && <When at={policy.changed_at} />,
      }}
    />
  );
}

function Members({ of }: { of: Change['changed'] }) {
  return (
    <Stack gap={2}>
      {of.map(({ member, before, after, loosened }) => (
        <Text key={member} size="sm" component="div" style={{ overflowWrap: 'anywhere' }}>
          {member}
          {loosened && ' (weaker)'}
          <Under>
            {JSON.stringify(before)} → {JSON.stringify(after)}
          </Under>
        </Text>
      ))}
    </Stack>
  );
}
