// The live version, built again on the newest runtime.
import { Group, Text } from '@mantine/core';
import { useSend } from '../../api/query.ts';
import type { Output } from '../../api/client.ts';
import { Action, AskingAction } from '../../kit/action.tsx';
import { PageLink } from '../../kit/page-link.tsx';
import { Facts, Section } from '../../kit/page.tsx';
import { State } from '../../kit/state.tsx';

type Upgrade = Output<'agents', 'upgradeRuntime'>;

const WORDS: Record<Upgrade['state'], string> = {
  current: 'runs on the newest runtime',
  available: 'runs on an older runtime: a newer one is there',
  building: 'is built on the newest runtime',
  verifying: 'is started on the newest runtime and checked',
  live: 'is live on the newest runtime',
  rolled_back: 'was upgraded, and the version before serves again',
};

export function RuntimeUpgrade({ name, isLive }: { name: string; isLive: boolean }) {
  const look = useSend('agents', 'upgradeRuntime', { refresh: [] });
  const upgrade = useSend('agents', 'upgradeRuntime', { done: (answer) => `${name} ${WORDS[answer.state]}.`, onDone: () => look.reset() });
  const upgradeStatus = upgrade.data ?? look.data;
  const not = !isLive && 'Nothing is live.';
  return (
    <Section
      title="Runtime"
      lead="What carries the agent: the SDK, the language, the system. The rebuilt agent goes live only with the card it has now."
      actions={
        <>
          <Action label="Look for a newer one" not={not} loading={look.isPending} onAct={() => look.mutate({ params: { name }, body: { check: true } })} />
          <AskingAction
            label="Upgrade"
            not={not || (upgradeStatus?.state === 'current' && 'It runs on the newest runtime.')}
            loading={upgrade.isPending}
            question={`Build ${name} on the newest runtime?`}
            onAct={() => upgrade.mutate({ params: { name }, body: {} })}
          >
            What serves now serves until the new one is checked. A rollback takes the upgrade back.
          </AskingAction>
        </>
      }
    >
      {upgradeStatus && <UpgradeFacts name={name} upgrade={upgradeStatus} />}
    </Section>
  );
}

function UpgradeFacts({ name, upgrade: { state, live, newest, deploy_id, differences } }: { name: string; upgrade: Upgrade }) {
  return (
    <Facts
      of={{
        State: (
          <Group gap="xs">
            <State of={state} />
            It {WORDS[state]}.
          </Group>
        ),
        'Runs on': live.runtime ?? 'not known',
        Newest: newest.runtime ?? 'not known',
        'SDK in it': live.sdk === null ? null : `${live.sdk}; newest ${newest.sdk ?? 'not known'}`,
        Deployment: deploy_id && (
          <PageLink to="/agents/mine/$name/deployments/$deployId" params={{ name, deployId: deploy_id }} inherit>
            {state === 'building' || state === 'verifying' ? 'Watch it' : 'The last upgrade'}
          </PageLink>
        ),
        'What its card differed in':
          differences.length === 0
            ? null
            : differences.map((difference) => (
                <Text key={difference} size="sm">
                  {difference}
                </Text>
              )),
      }}
    />
  );
}
