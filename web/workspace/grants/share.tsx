// A grant of one's own files for an agent. Its token is shown once.
import { Alert, Button, Group, Modal, Stack } from '@mantine/core';
import { useState } from 'react';
import type { Output } from '../../api/client.ts';
import { RequestForm } from '../../form/request-form.tsx';
import { Code } from '../../kit/code.tsx';
import { InTerminal } from '../../kit/in-terminal.tsx';

/** @param patterns what the agent may read, to begin with */
export function Share({ patterns, onClose }: { patterns: string[]; onClose: () => void }) {
  const [given, setGiven] = useState<Output<'workspaceGrants', 'delegate'>>();
  return (
    <Modal opened onClose={onClose} title={given ? `A grant for ${given.grant.audience}` : 'Share files with an agent'} size="lg">
      {given ? (
        <Stack>
          <Alert color="yellow">The token is shown this once. Only {given.grant.audience} can use it.</Alert>
          <Code text={given.token} label="token" maxHeight={160} />
          <InTerminal command={`svc call ${given.grant.audience} TOOL --grant TOKEN`} />
          <Group justify="end">
            <Button onClick={onClose}>Close</Button>
          </Group>
        </Stack>
      ) : (
        <RequestForm
          group="workspaceGrants"
          route="delegate"
          input={{ headers: {} }}
          initial={{ allow_patterns: patterns, deny_patterns: [], mode: 'read_only', ttl_seconds: 900 }}
          submit="Create grant"
          refresh={['grants']}
          onDone={setGiven}
          onCancel={onClose}
        />
      )}
    </Modal>
  );
}
