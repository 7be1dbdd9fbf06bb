// The vocabulary of rules: the entities, actions and facts, in Cedar's schema language. Rules are validated
// against it when they are saved, and every request when it is decided. docs/policy.md shows it.
import { POLICY_ACTIONS, type PolicyAction } from '#contract/states.ts';

const RESOURCES: Record<PolicyAction, string> = {
  handoff: 'Agent, Skill',
  grant: 'Agent',
  write_file: 'Path',
  egress: 'Host',
  expand_scope: 'Agent, Skill, Path',
  spend: 'Agent, Skill',
  publish: 'Agent',
  deploy: 'Agent',
};

export const WITHOUT_APPROVAL = '_without_approval';

const ENTITIES = `// A person of this platform. The id is that of the account: usr_…
entity User;
// An agent, by its name. It belongs to its owner: \`principal in User::"usr_…"\` holds for the account, its
// agents and their runs.
entity Agent in [User] { owner: User, listed: Bool };
// A run of an agent. caller: the account that it works for.
entity Run in [Agent] { agent: Agent, skill: String, depth: Long, caller?: User };
// A skill, as "agent/skill". It belongs to its agent.
entity Skill in [Agent] { agent: Agent, name: String };
// A file, as "drafts/a.txt". It belongs to each folder above it: Path::"drafts".
entity Path in [Path] { path: String, name: String };
// A host that a connection is opened to, in lower case. It belongs to each domain above it:
// Host::"example.com".
entity Host in [Host] { name: String, port?: Long, address?: ipaddr };

// When it is asked, in UTC. weekday: 1 Monday to 7 Sunday.
type Time = { hour: Long, minute: Long, weekday: Long, zone: String };
type Grant = {
  id: String, issuer: String, audience: String, mode: String, expires_in_s: Long,
  allow_patterns: Set<String>, deny_patterns: Set<String>, outputs_prefix?: String
};
// amount_cents: what is about to be spent; the others: what has been, this amount not among it. All rounded
// up.
type Money = { amount_cents?: Long, run_cents?: Long, day_cents?: Long, month_cents?: Long };
type Calls = { run?: Long, day?: Long };
type Facts = { time: Time, grant?: Grant, money?: Money, calls?: Calls };
`;

function declared(action: PolicyAction): string {
  const applies = `appliesTo { principal: [User, Agent, Run], resource: [${RESOURCES[action]}], context: Facts };`;
  return `action ${action} ${applies}\naction ${action}${WITHOUT_APPROVAL} in [${action}] ${applies}\n`;
}

export const CEDAR_SCHEMA = `${ENTITIES}\n${POLICY_ACTIONS.map(declared).join('')}`;
