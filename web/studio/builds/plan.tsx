// What is best done about a goal: why, what else could be done, what recipes still need; and the button that
// does it.
import { Button, Group, Radio, Text } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { Output } from '../../api/client.ts';
import { useSend } from '../../api/query.ts';
import { Action } from '../../kit/action.tsx';
import { Failure } from '../../kit/failure.tsx';
import { List, Under, type Column } from '../../kit/list.tsx';
import { ButtonLink, PageLink } from '../../kit/page-link.tsx';
import { Facts, Section } from '../../kit/page.tsx';
import { When } from '../../kit/when.tsx';
import { briefOf, type Draft } from './draft.ts';
import { RecipeSection } from './recipe-section.tsx';
import { DECISIONS, percent, priceOf } from './words.ts';

type Plan = Output<'agentStudio', 'resolve'>;
type Candidate = Plan['candidates'][number];

export interface PlanShownProps {
  plan: Plan;
  draft: Draft;
  /** Of resolving again. */
  error: Error | null;
  isPending: boolean;
  onResolve: (draft: Draft) => void;
  onBack: () => void;
}

export function PlanShown({ plan, draft, error, isPending, onResolve, onBack }: PlanShownProps) {
  const navigate = useNavigate();
  const [chosen, setChosen] = useState(0);
  const candidate = plan.candidates[chosen];
  const lack = candidate && candidate.decision !== 'use_existing' ? lackOf(candidate, plan, draft) : undefined;
  const start = useSend('agentStudio', 'start', {
    quiet: true,
    done: 'It is being made.',
    refresh: ['agentStudio'],
    onDone: ({ run_id }) => void navigate({ to: '/studio/runs/$run_id', params: { run_id } }),
  });
  const make = (of: Candidate): void =>
    start.mutate({ body: { brief: briefOf(draft), plan_id: plan.plan_id, decision: of.decision, ...(of.agents.length > 0 && { agents: of.agents }) } });
  return (
    <>
      <Facts
        of={{
          Agent: draft.name,
          Goal: draft.goal,
          Best: `${DECISIONS[plan.decision]}: ${plan.reason}`,
          'Language model': plan.model ?? 'None writes, so nothing is spent.',
          'The plan ends': <When at={plan.expires_at} />,
        }}
      />
      <Section
        title="Options"
        lead="Best first. Fit: how much of your goal its description covers. Inputs given: share of its required inputs that you gave. Trust: lower bound of its past success."
      >
        <List
          label="Options"
          pages={plan.candidates}
          columns={columnsOf(plan.candidates, chosen, setChosen)}
          keyOf={(one) => keyOf(one)}
          empty={<Text c="dimmed">Nothing.</Text>}
        />
      </Section>
      {start.error && <Failure error={start.error} />}
      <Group>
        {candidate?.decision === 'use_existing' ? (
          <UseIt of={candidate} />
        ) : (
          candidate && <Action label="Build agent" variant="filled" loading={start.isPending} not={lack} onAct={() => make(candidate)} />
        )}
        <Button variant="default" onClick={onBack}>
          Change the goal
        </Button>
        {lack !== undefined && <Text size="sm">{lack}</Text>}
      </Group>
      <RecipeSection plan={plan} draft={draft} error={error ?? start.error} isPending={isPending} onResolve={onResolve} />
    </>
  );
}

const keyOf = ({ decision, agents }: Candidate): string => [decision, ...agents].join(' ');

function columnsOf(all: readonly Candidate[], chosen: number, choose: (at: number) => void): Column<Candidate>[] {
  return [
    {
      head: 'What',
      wide: true,
      cell: (one) => (
        <Radio
          name="decision"
          checked={all.indexOf(one) === chosen}
          onChange={() => choose(all.indexOf(one))}
          label={`${DECISIONS[one.decision]}${one.agents.length === 0 ? '' : `: ${one.agents.join(', ')}`}`}
          description={<Under>{one.reason}</Under>}
        />
      ),
    },
    {
      head: 'Agents',
      cell: ({ agents }) =>
        agents.map((name) => (
          <PageLink key={name} to="/agents/$name" params={{ name }} size="sm" display="block">
            {name}
          </PageLink>
        )),
    },
    { head: 'Fit', end: true, cell: ({ fit }) => percent(fit) },
    { head: 'Inputs given', end: true, cell: ({ inputs_fit }) => percent(inputs_fit) },
    { head: 'Trust', end: true, cell: ({ decision, trust }) => (decision === 'build_new' ? '' : percent(trust)) },
    { head: 'A call costs', end: true, cell: ({ price_micros }) => priceOf(price_micros) },
  ];
}

/** Why it cannot be made as it is; undefined: it can. */
function lackOf({ decision }: Candidate, { recipes, model }: Plan, draft: Draft): string | undefined {
  if (decision === 'edit_existing' && !draft.writes) return 'Source is changed by a language model: switch it on in the goal.';
  if (decision !== 'build_new' || model !== null) return undefined;
  if (recipes.length === 0) return 'No recipe fits the goal. Reword it, choose a recipe, or let a language model write.';
  const ready = recipes.some(({ missing }) => missing.length === 0);
  return ready ? undefined : `The recipe needs ${recipes[0]?.missing.join(', ')}: fill it in below.`;
}

function UseIt({ of: { agents, skills } }: { of: Candidate }) {
  const [name, skill] = [agents[0] ?? '', skills[0] ?? ''];
  return (
    <ButtonLink to="/agents/$name/skills/$skill" params={{ name, skill }}>
      Call {name}
    </ButtonLink>
  );
}
