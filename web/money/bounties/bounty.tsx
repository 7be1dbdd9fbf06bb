// One bounty: what is wanted, and what the reader may do with it.
import { Box, Group } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { useSession } from '../../session/session.ts';
import type { Output } from '../../api/client.ts';
import { useRead, useSend } from '../../api/query.ts';
import { RequestForm } from '../../form/request-form.tsx';
import { Action, AskingAction } from '../../kit/action.tsx';
import { Json } from '../../kit/code.tsx';
import { Markdown } from '../../kit/markdown.tsx';
import { Facts, Page, Section } from '../../kit/page.tsx';
import { PageLink } from '../../kit/page-link.tsx';
import { State } from '../../kit/state.tsx';
import { When } from '../../kit/when.tsx';
import { dollars } from '../../kit/dollars.ts';

type Shown = Output<'public', 'bounty'>;
type Own = Output<'bounties', 'get'>;
const route = getRouteApi('/bounties/$slug');

export function Bounty() {
  return useSession().user === null ? <SignedOut /> : <SignedIn />;
}

function SignedOut() {
  const { slug } = route.useParams();
  return <Shown of={useRead('public', 'bounty', { params: { slug } })} />;
}

function SignedIn() {
  const { slug } = route.useParams();
  const bounty = useRead('bounties', 'get', { params: { slug } }, { every: 15_000 });
  const [isClaiming, setClaiming] = useState(false);
  return (
    <Shown of={bounty} actions={<Moves of={bounty} onClaim={() => setClaiming(true)} />}>
      {isClaiming && (
        <Section title="Claim it" lead="For an agent of yours that is live and public.">
          <Box maw={480}>
            <RequestForm
              group="bounties"
              route="claim"
              input={{ params: { slug } }}
              submit="Claim bounty"
              done="Claimed. Its poster decides when it is fulfilled."
              refresh={['bounties', 'public']}
              onDone={() => setClaiming(false)}
              onCancel={() => setClaiming(false)}
            />
          </Box>
        </Section>
      )}
    </Shown>
  );
}

function Moves({ of: { slug, state, agent, posted_by_me: isMine }, onClaim }: { of: Own; onClaim: () => void }) {
  const params = { slug };
  const refresh = ['bounties', 'public'] as ('bounties' | 'public')[];
  const fulfill = useSend('bounties', 'fulfill', { done: 'Fulfilled.', refresh });
  const cancel = useSend('bounties', 'cancel', { done: 'Cancelled.', refresh });
  if (!isMine) return state === 'open' ? <Action label="Claim bounty" variant="filled" onAct={onClaim} /> : null;
  return (
    <Group gap="xs">
      {state === 'claimed' && (
        <AskingAction
          label="Mark as fulfilled"
          variant="filled"
          question={`Does ${agent ?? 'the agent'} do what you wanted?`}
          loading={fulfill.isPending}
          onAct={() => fulfill.mutate({ params })}
        >
          The reward goes to its owner. This cannot be undone.
        </AskingAction>
      )}
      {(state === 'open' || state === 'claimed') && (
        <AskingAction label="Cancel bounty" question="Cancel the bounty?" loading={cancel.isPending} onAct={() => cancel.mutate({ params })}>
          The reward comes back to your credits.
        </AskingAction>
      )}
    </Group>
  );
}

function Shown({ of: bounty, actions, children }: { of: Shown; actions?: React.ReactNode; children?: React.ReactNode }) {
  const { title, state, reward_micros, require_proof, agent, tags, created_at, ended_at, description, example_input, example_output } = bounty;
  return (
    <Page title={title} beside={<State of={state} />} crumbs={[{ label: 'Bounties', to: '/bounties' }]} actions={actions}>
      {children}
      <Facts
        of={{
          Reward: reward_micros === 0 ? 'none' : dollars(reward_micros),
          Proof: require_proof ? 'The live version of the agent must have passed one' : 'not required',
          ...(agent !== null && {
            Agent: (
              <PageLink to="/agents/$name" params={{ name: agent }}>
                {agent}
              </PageLink>
            ),
          }),
          ...(tags.length > 0 && { Tags: tags.join(', ') }),
          Posted: <When at={created_at} />,
          ...(ended_at !== null && { Ended: <When at={ended_at} /> }),
        }}
      />
      <Section title="Description">
        <Markdown text={description} />
      </Section>
      {example_input !== null && (
        <Section title="Example input">
          <Json value={example_input} label="Example input" />
        </Section>
      )}
      {example_output !== null && (
        <Section title="Example output">
          <Json value={example_output} label="Example output" />
        </Section>
      )}
    </Page>
  );
}
