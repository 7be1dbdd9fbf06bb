// May this agent call that one? Who calls whom, with exactly which arguments.
import { Group, Text } from '@mantine/core';
import { IconArrowRight } from '@tabler/icons-react';
import { Code } from '../../kit/code.tsx';
import { Copyable } from '../../kit/copy.tsx';
import { PageLink } from '../../kit/page-link.tsx';
import type { Deciding } from './use-decision.ts';
import { Verdict } from './verdict.tsx';
import type { Waiting } from './waiting.ts';

export function HandoffApproval({ wait, deciding }: { wait: Waiting; deciding: Deciding }) {
  const { agent, skill, preview, input_sha256: sha256, grant_id: grant, foreign } = wait.request ?? {};
  return (
    <>
      <Group gap="xs" mb="xs">
        <AgentLink name={wait.agent} />
        <IconArrowRight size={16} aria-label="calls" />
        {typeof agent === 'string' ? <AgentLink name={agent} /> : <Text size="sm">another agent</Text>}
        {typeof skill === 'string' && (
          <Text size="sm">
            skill <code>{skill}</code>
          </Text>
        )}
        {foreign === true && (
          <Text size="sm" c="dimmed">
            (not yours)
          </Text>
        )}
      </Group>
      <Text size="sm" mb={4}>
        Arguments
      </Text>
      <Code text={typeof preview === 'string' ? preview : 'not shown'} maxHeight={220} label={`Arguments of the call ${wait.wait_id.slice(-8)}`} />
      <Text size="xs" c="dimmed" mt={6} component="div">
        {typeof sha256 === 'string' && (
          <>
            Approved is the call whose arguments have this SHA-256, once: <Copyable value={sha256} label="digest of the arguments" />
          </>
        )}
        {typeof grant === 'string' && (
          <div>
            With the grant <code>{grant}</code> of your files.
          </div>
        )}
      </Text>
      <Verdict deciding={deciding} isKnown={typeof agent === 'string' && typeof preview === 'string'} approval={wait.approval} />
    </>
  );
}

function AgentLink({ name }: { name: string }) {
  return (
    <PageLink to="/agents/$name" params={{ name }} size="sm" fw={600} style={{ overflowWrap: 'anywhere' }}>
      {name}
    </PageLink>
  );
}
