// How to call an agent from elsewhere, skill by skill.
import { NativeSelect, Stack, Text } from '@mantine/core';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { Copyable } from '../../kit/copy.tsx';
import { InTerminal } from '../../kit/in-terminal.tsx';
import { Empty, Facts, Section } from '../../kit/page.tsx';
import { PageLink } from '../../kit/page-link.tsx';
import { useAgent } from './agent-data.ts';
import { useDraft } from './drafts.ts';
import { SnippetTabs } from './snippet-tabs.tsx';

const route = getRouteApi('/agents/$name/use');

export function Use() {
  const { name } = route.useParams();
  const { skill: wanted, as } = route.useSearch();
  const agent = useAgent(name);
  const navigate = useNavigate();
  const skills = agent.card?.skills ?? [];
  const skill = skills.find(({ id }) => id === wanted) ?? skills[0];
  const [value] = useDraft(name, skill?.id ?? '');
  if (!skill) return <Empty title="Nothing to call yet">Its skills are here once a deployment of it is live.</Empty>;
  const go = (search: { skill?: string; as?: string }): void =>
    void navigate({ to: '/agents/$name/use', params: { name }, search: { skill: skill.id, ...(as !== undefined && { as }), ...search }, replace: true });
  return (
    <Stack gap="xl">
      <div>
        <NativeSelect
          label="Skill"
          maw="24rem"
          data={skills.map(({ id }) => id)}
          value={skill.id}
          onChange={({ currentTarget }) => go({ skill: currentTarget.value })}
        />
        <Text size="sm" c="dimmed" mt={6}>
          The values are those of the{' '}
          <PageLink to="/agents/$name/skills/$skill" params={{ name, skill: skill.id }} inherit underline="always">
            form
          </PageLink>
          , or an example.
        </Text>
      </div>
      <SnippetTabs agent={agent} skill={skill} value={value} as={as} onAs={(next) => go({ as: next })} />
      <Section title="At its own address" lead="The agent answers there itself; a browser opens its page.">
        <Facts
          of={{
            Address: <Copyable value={agent.url} label="address" />,
            MCP: <Copyable value={`${agent.url}/mcp`} label="MCP address" />,
            A2A: <Copyable value={`${agent.url}/a2a`} label="A2A address" />,
          }}
        />
        <InTerminal command={`svc use ${name}`} />
      </Section>
    </Stack>
  );
}
