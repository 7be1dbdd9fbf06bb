// What an agent is: its description, the facts of its card, where it answers, and its skills with what they
// take and give.
import { Badge, Button, Group, Paper, Stack, Text, Title } from '@mantine/core';
import { getRouteApi, Link } from '@tanstack/react-router';
import { IconPlayerPlay } from '@tabler/icons-react';
import { Copyable } from '../../kit/copy.tsx';
import { Markdown } from '../../kit/markdown.tsx';
import { Empty, Facts, Section } from '../../kit/page.tsx';
import { When } from '../../kit/when.tsx';
import { Costs } from '../../money/prices/costs.tsx';
import { type Card, type ShownAgent, type Skill, useAgent } from './agent-data.ts';
import { restOf } from './lead.ts';
import { SchemaTable } from './skill-table.tsx';
import { Tags } from './tags.tsx';
import { Uptime } from './uptime/uptime.tsx';
import { number } from '../../kit/number.ts';
import { inWords } from '../../kit/in-words.ts';

const route = getRouteApi('/agents/$name');
/** More are in the JSON of the card. */
const MOST_SKILLS = 60;

export function Overview() {
  const { name } = route.useParams();
  const agent = useAgent(name);
  const { card } = agent;
  const rest = restOf(agent.description);
  return (
    <Stack gap="xl">
      {rest !== '' && <Markdown text={rest} />}
      <AgentFacts agent={agent} />
      <Section title="Skills">
        {card === null || card.skills.length === 0 ? (
          <Empty title="Nothing to call yet" {...(agent.mine && { command: `svc deploy` })}>
            {card === null ? 'Its skills are here once a deployment of it is live.' : 'Its card names no skill.'}
          </Empty>
        ) : (
          <Stack>
            {card.skills.slice(0, MOST_SKILLS).map((skill) => (
              <SkillCard key={skill.id} agent={agent} skill={skill} />
            ))}
            {card.skills.length > MOST_SKILLS && <Text c="dimmed">{card.skills.length - MOST_SKILLS} more are in its card.</Text>}
          </Stack>
        )}
      </Section>
      <Uptime name={name} />
      <Section title="Addresses" lead="One agent, by each protocol.">
        <Facts of={addressesOf(agent.url)} />
      </Section>
      {card && <CardFacts card={card} />}
    </Stack>
  );
}

function AgentFacts({ agent }: { agent: ShownAgent }) {
  const { version, tags, call_count: calls, updated_at: updated, visibility, kind, out_of_service: out, reuse_policy: reuse } = agent;
  return (
    <Facts
      of={{
        Version: version ?? 'not deployed yet',
        'Out of service': out && (
          <>
            {out.reason} (it began <When at={out.since} />)
          </>
        ),
        Runs:
          kind === undefined
            ? null
            : kind === 'imported'
              ? 'elsewhere; it is called through this platform'
              : kind === 'hosted'
                ? 'here, in its own machine'
                : 'nowhere yet',
        Listing: visibility,
        Calls: number(calls),
        Source: reuse === 'closed' ? 'closed source' : `may be copied (${reuse})`,
        Changed: <When at={updated} />,
        Tags: tags.length > 0 ? <Tags tags={tags} /> : null,
      }}
    />
  );
}

function addressesOf(url: string): Record<string, React.ReactNode> {
  const at = (address: string, label: string) => <Copyable value={address} label={label} />;
  return {
    HTTP: at(`${url}/invoke/<skill>`, 'HTTP address'),
    MCP: at(`${url}/mcp`, 'MCP address'),
    'A2A (JSON-RPC)': at(`${url}/a2a`, 'A2A address'),
    'A2A (HTTP+JSON)': at(url, 'A2A address over HTTP+JSON'),
    'AG-UI': at(`${url}/ag-ui`, 'AG-UI address'),
    'Agent card': at(`${url}/.well-known/agent-card.json`, 'address of the agent card'),
  };
}

function SkillCard({ agent, skill }: { agent: ShownAgent; skill: Skill }) {
  const { id, description, stream, policy, tags, input_schema: input, output_schema: output } = skill;
  return (
    <Paper withBorder p="md" component="article" aria-label={id}>
      <Group justify="space-between" align="start" wrap="nowrap" gap="sm">
        <Group gap="xs" miw={0}>
          <Title order={3} ff="monospace" style={{ overflowWrap: 'anywhere' }}>
            {id}
          </Title>
          {stream && <Mark text="streams" />}
          {policy.read_only && <Mark text="changes nothing" />}
          {policy.destructive && <Mark text="cannot be undone" color="red" />}
          {policy.timeout_seconds !== null && <Mark text={`ends within ${policy.timeout_seconds} s`} />}
          {tags.slice(0, 8).map((tag) => (
            <Mark key={tag} text={tag} />
          ))}
        </Group>
        <Button
          component={Link}
          to={`/agents/${encodeURIComponent(agent.name)}/skills/${encodeURIComponent(id)}`}
          size="xs"
          variant="light"
          leftSection={<IconPlayerPlay size={13} />}
          aria-label={`Try ${id}`}
          style={{ flexShrink: 0 }}
        >
          Try
        </Button>
      </Group>
      {description !== '' && (
        <Text size="sm" mt={4} dir="auto" component="div" style={{ overflowWrap: 'anywhere', whiteSpace: 'pre-line' }}>
          {description.slice(0, 2000)}
        </Text>
      )}
      <Costs price={agent.prices.find((price) => price.skill === id)} isOwn={agent.mine === true} />
      <Text size="sm" fw={600} mt="md" mb={4}>
        Takes
      </Text>
      <SchemaTable schema={input} label={`arguments of ${id}`} none="No arguments." />
      <Text size="sm" fw={600} mt="md" mb={4}>
        Gives
      </Text>
      <SchemaTable schema={output} label={`result of ${id}`} none="Nothing." />
    </Paper>
  );
}

function Mark({ text, color = 'gray' }: { text: string; color?: string }) {
  return (
    <Badge variant="light" color={color} tt="none" radius="sm" size="sm" fw={500}>
      {text}
    </Badge>
  );
}

function CardFacts({ card }: { card: Card }) {
  const { runtime, workspace_access: files, consumer_setup: setup = [], input_modes: takes, output_modes: gives } = card;
  const { resources, egress } = runtime;
  return (
    <Section title="Runtime">
      <Facts
        of={{
          Sleeps: { ephemeral: 'between calls', session: 'after a session', persistent: 'never' }[runtime.lifecycle],
          Keeps: { stateless: 'nothing between calls', session: 'its state for a session', durable: 'its state in the memory of the platform' }[runtime.state],
          'Calls at once': runtime.concurrency,
          Machine: `${resources.cpu} CPU, ${resources.memory} memory${resources.gpu > 0 ? `, ${resources.gpu} GPU` : ''}`,
          'Longest run': `${number(resources.max_runtime_seconds)} s`,
          'May reach':
            egress.allow_hosts.length > 0 ? egress.allow_hosts.join(', ') : egress.deny_internet_by_default ? 'no host of the internet' : 'the internet',
          'Your files': files.enabled
            ? `up to ${number(files.max_files)}, by ${files.allowed_modes.map((mode) => inWords(mode)).join(' or ') || 'grant'}${files.require_human_approval ? ', after your approval' : ''}`
            : 'none',
          'Needs of you': setup.length > 0 ? setup.map(({ name, title, required }) => `${title ?? name}${required ? '' : ' (optional)'}`).join(', ') : null,
          Takes: takes.length > 0 ? takes.join(', ') : null,
          Gives: gives.length > 0 ? gives.join(', ') : null,
        }}
      />
    </Section>
  );
}
