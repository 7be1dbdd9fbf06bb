// The call of the form as curl, on the command line, in a program, for an MCP client.
import { SegmentedControl, Text } from '@mantine/core';
import { useState } from 'react';
import { visit } from '../../api/visit.ts';
import { Code } from '../../kit/code.tsx';
import { Section } from '../../kit/page.tsx';
import type { ShownAgent, Skill } from './agent-data.ts';
import { argumentsOf } from './drafts.ts';
import { snippetsOf } from './snippets.ts';

export interface SnippetTabsProps {
  agent: ShownAgent;
  skill: Skill;
  value: unknown;
  /** Which is shown; absent: the page need not remember. */
  as?: string | undefined;
  onAs?: (as: string) => void;
}

export function SnippetTabs({ agent, skill, value, as, onAs }: SnippetTabsProps) {
  const [own, setOwn] = useState('curl');
  const all = snippetsOf({
    api: visit().origin,
    url: agent.url,
    agent: agent.name,
    skill: skill.id,
    args: argumentsOf(value, skill),
    isPublic: agent.visibility === undefined || agent.visibility === 'public',
  });
  const shown = all.find(({ id }) => id === (as ?? own)) ?? all[0];
  if (!shown) return null;
  return (
    <Section
      title="The same call elsewhere"
      lead="With the values of the form."
      actions={
        <SegmentedControl
          size="xs"
          aria-label="Language"
          data={all.map(({ id, label }) => ({ value: id, label }))}
          value={shown.id}
          onChange={onAs ?? setOwn}
        />
      }
    >
      <div data-terminal>
        <Code text={shown.text} label={`${shown.label} snippet`} />
        <Text size="xs" c="dimmed" mt={4}>
          {shown.note}
        </Text>
      </div>
    </Section>
  );
}
