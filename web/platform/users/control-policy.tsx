// What an operator allows an account; and the same in one step: nothing at all.
import { Paper } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { Output } from '../../api/client.ts';
import { useSend } from '../../api/query.ts';
import { useSession } from '../../session/session.ts';
import { RequestForm } from '../../form/request-form.tsx';
import { Action, AskingAction } from '../../kit/action.tsx';
import { number } from '../../kit/number.ts';
import { Facts, Section } from '../../kit/page.tsx';
import { When } from '../../kit/when.tsx';

type Policy = Output<'admin', 'controlPolicy'>;

// words: shown
const words = (allowed: boolean): string => (allowed ? 'yes' : 'no');
const limit = (value: number | null, otherwise: string): string => (value === null ? otherwise : number(value));

export function ControlPolicy({ policy }: { policy: Policy }) {
  const { user_id, version, updated_at, updated_by: _by, ...initial } = policy;
  const [isOpen, { open, close }] = useDisclosure();
  const { limits } = policy;
  return (
    <Section
      title="Control policy"
      lead="Every process follows within two seconds. Nothing is ended or deleted."
      actions={<Action label="Change" size="xs" onAct={open} />}
    >
      {isOpen ? (
        <Paper withBorder p="md">
          <RequestForm
            key={version}
            group="admin"
            route="putControlPolicy"
            input={{ params: { user_id } }}
            initial={{ ...initial, version }}
            fields={['suspended', 'may_deploy', 'may_publish', 'may_call_external', 'limits', 'reason']}
            submit="Set the policy"
            done="The policy is set."
            onDone={close}
            onCancel={close}
          />
        </Paper>
      ) : (
        <Facts
          of={{
            Suspended: words(policy.suspended),
            'May deploy': words(policy.may_deploy),
            'May publish': words(policy.may_publish),
            "May call others' agents": words(policy.may_call_external),
            Agents: limit(limits.agents, 'as the installation allows'),
            Schedules: limit(limits.schedules, 'as the installation allows'),
            'Runs at a time': limit(limits.concurrent_runs, 'no limit'),
            'Calls in a minute': limit(limits.calls_per_minute, 'no limit'),
            Reason: policy.reason || null,
            Changed: updated_at && <When at={updated_at} />,
          }}
        />
      )}
    </Section>
  );
}

export function Suspend({ policy, email }: { policy: Policy; email: string }) {
  const { user_id, suspended, updated_at: _at, updated_by: _by, ...rest } = policy;
  const isOwn = useSession().user?.user_id === user_id;
  const setting = useSend('admin', 'putControlPolicy', { done: ({ suspended: now }) => (now ? `${email} is suspended.` : `${email} is no longer suspended.`) });
  const set = (): void => setting.mutate({ params: { user_id }, body: { ...rest, suspended: !suspended } });
  if (suspended) return <Action label="Lift the suspension" onAct={set} loading={setting.isPending} />;
  return (
    <AskingAction
      label="Suspend"
      color="red"
      variant="light"
      question={`Suspend ${email}?`}
      not={isOwn && 'Operators cannot suspend themselves.'}
      loading={setting.isPending}
      onAct={set}
    >
      Its people cannot sign in, its sessions and tokens open nothing, its agents take no calls, its schedules do not fire. Nothing is deleted, and it can be
      undone.
    </AskingAction>
  );
}
