// `@agent.skill` while it is typed. Pure.

export interface Mention {
  /** Where its "@" is. */
  at: number;
  agent: string;
  /** Undefined: the agent is being named. */
  skill: string | undefined;
}

const MENTION = /(?:^|[\s(;])@([a-z0-9][a-z0-9-]{0,127})?(?:\.([A-Za-z_]?[\w-]{0,127}))?$/;

/** What is being named at the caret. */
export function mentionAt(text: string, caret: number): Mention | undefined {
  const before = text.slice(Math.max(0, caret - 300), caret);
  const match = MENTION.exec(before);
  if (!match) return undefined;
  const [whole, agent = '', skill] = match;
  // A skill of no agent.
  if (agent === '' && skill !== undefined) return undefined;
  return { at: caret - whole.length + whole.indexOf('@'), agent, skill };
}

export interface Completed {
  text: string;
  caret: number;
}

/** The agent's name, and the dot behind which its skills are. */
export function withAgent(text: string, caret: number, { at }: Mention, agent: string): Completed {
  return spliced(text, at, caret, `@${agent}.`);
}

/**
 * Words may follow a skill that needs one text, nothing a skill that needs nothing; else the members of its
 * arguments, to be filled.
 */
export function withSkill(text: string, caret: number, { at, agent }: Mention, skill: { id: string; input_schema: Record<string, unknown> }): Completed {
  const { required = [], properties = {} } = skill.input_schema as { required?: string[]; properties?: Record<string, { type?: unknown; enum?: unknown }> };
  const head = `@${agent}.${skill.id} `;
  const [only, ...more] = required;
  const of = properties[only ?? ''];
  if (only === undefined || (more.length === 0 && of?.type === 'string' && of.enum === undefined)) return spliced(text, at, caret, head);
  const form = `{${required.map((name) => `${JSON.stringify(name)}: ${properties[name]?.type === 'string' ? '""' : ''}`).join(', ')}}`;
  const done = spliced(text, at, caret, head + form);
  const first = `{${JSON.stringify(only)}: `.length + (of?.type === 'string' ? 1 : 0);
  return { text: done.text, caret: at + head.length + first };
}

function spliced(text: string, from: number, to: number, put: string): Completed {
  return { text: text.slice(0, from) + put + text.slice(to), caret: from + put.length };
}
