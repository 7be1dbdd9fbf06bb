// Self-healing: the policy of the live version, and what was repaired.
import { Group, Stack, Text, Timeline } from '@mantine/core';
import type { Output } from '../../api/client.ts';
import { useRead } from '../../api/query.ts';
import { PageLink } from '../../kit/page-link.tsx';
import { Empty, Facts, Section } from '../../kit/page.tsx';
import { State } from '../../kit/state.tsx';
import { duration } from '../../kit/time.ts';
import { When } from '../../kit/when.tsx';
import { inWords } from '../../kit/in-words.ts';

type Repair = Output<'agents', 'selfHealing'>['repairs'][number];

const ACTION: Record<Repair['steps'][number]['action'], string> = {
  restart: 'Started again',
  put_back: 'An earlier version put back',
  ask_secret: 'A secret asked for',
};

export function Healing({ name }: { name: string }) {
  const { policy, repairs, repairs_today } = useRead('agents', 'selfHealing', { params: { name }, query: { limit: 100 } }, { every: 30_000 });
  return (
    <Section title="Self-healing" lead="When the agent fails, the platform starts it again or puts an earlier version back.">
      {policy === null ? (
        <Empty title="Self-healing is off." command={'self_healing: {}'}>
          Write this into svc.yaml, and deploy.
        </Empty>
      ) : (
        <Facts
          of={{
            Now: policy.enabled ? 'on' : 'off, by svc.yaml',
            'Starts after': `${policy.consecutive_failures} ${policy.consecutive_failures === 1 ? 'failure' : 'failures in a row'} within ${seconds(policy.window_seconds)}`,
            Rests: seconds(policy.cooldown_seconds),
            Repairs: `${repairs_today} of ${policy.max_repairs_per_day} in 24 hours`,
            'A version counts as healed': policy.require_tests ? 'once it answers and was watched' : 'once it is live',
          }}
        />
      )}
      <Stack mt="md">
        {policy !== null && repairs.length === 0 && <Text size="sm">No repairs yet.</Text>}
        {repairs.map((repair) => (
          <One key={repair.repair_id} name={name} repair={repair} />
        ))}
      </Stack>
    </Section>
  );
}

const seconds = (count: number): string => duration(count * 1000);

function One({ name, repair: { state, error, outcome, steps, missing_secrets, changed_files, created_at, ended_at } }: { name: string; repair: Repair }) {
  return (
    <Stack gap="xs" component="article">
      <Group gap="xs">
        <State of={state} />
        <Text size="sm">
          <code>{error.code}</code> {error.message}, <When at={created_at} />
        </Text>
      </Group>
      {outcome && <Text size="sm">{outcome.message}</Text>}
      {missing_secrets.length > 0 && (
        <Text size="sm">
          Set what is missing:{' '}
          <PageLink to="/agents/mine/$name/secrets" params={{ name }} inherit underline="always">
            {missing_secrets.join(', ')}
          </PageLink>
        </Text>
      )}
      <Timeline bulletSize={14} lineWidth={2} active={steps.length}>
        {steps.map(({ action, at, outcome: how, detail }) => (
          <Timeline.Item
            key={`${at} ${action}`}
            title={
              <Text size="sm" fw={600}>
                {ACTION[action]}
              </Text>
            }
          >
            <Text size="sm">{detail}</Text>
            <Text size="xs" c="dimmed">
              {inWords(how)}, <When at={at} />
            </Text>
          </Timeline.Item>
        ))}
      </Timeline>
      {changed_files.length > 0 && (
        <Text size="sm" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
          Files that differ: {changed_files.slice(0, 20).join(', ')}
          {changed_files.length > 20 && ` and ${changed_files.length - 20} more`}
        </Text>
      )}
      {ended_at === null && <Text size="sm">It is in progress.</Text>}
    </Stack>
  );
}
