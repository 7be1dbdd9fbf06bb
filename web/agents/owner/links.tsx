// Integration links: ready addresses for other programs, with a token of their own.
import { Button, Radio, Stack } from '@mantine/core';
import { useState } from 'react';
import type { Output } from '../../api/client.ts';
import { useRead, useSend } from '../../api/query.ts';
import { AskingAction } from '../../kit/action.tsx';
import { List, Under } from '../../kit/list.tsx';
import { Empty, Section } from '../../kit/page.tsx';
import { When } from '../../kit/when.tsx';
import { ProgramForm } from './lazy-program-form.tsx';
import { ShownOnce } from './shown-once.tsx';
import type { OfAgent } from './tokens.tsx';

type Placement = 'header' | 'url_query';
/** As the platform has it: contract/identity/integration-links.ts. */
const DAYS: Record<Placement, number> = { header: 90, url_query: 30 };

export function Links({ name, skills }: OfAgent) {
  const links = useRead('agents', 'integrationLinks', { params: { name } });
  const [isMaking, setMaking] = useState(false);
  const [placement, setPlacement] = useState<Placement>('url_query');
  const [made, setMade] = useState<Output<'agents', 'createIntegrationLink'>>();
  const sending = useSend('agents', 'createIntegrationLink', {
    quiet: true,
    onDone: (link) => {
      setMade(link);
      setMaking(false);
    },
  });
  return (
    <Section
      title="Integration links"
      lead="Addresses for workflow builders and other programs that import OpenAPI or speak MCP."
      actions={!isMaking && <Button onClick={() => setMaking(true)}>Create a link</Button>}
    >
      {made && (
        <ShownOnce
          title="The token of the link is shown this once"
          values={[
            { label: 'Token', value: made.token },
            { label: 'OpenAPI', value: made.openapi_url },
            { label: 'Invoke', value: made.invoke_base_url },
            { label: 'MCP', value: made.mcp_url },
            { label: 'Try it', value: made.curl_example },
          ]}
          note={made.security_notice}
          onDone={() => setMade(undefined)}
        />
      )}
      {isMaking && (
        <ProgramForm
          submit="Create link"
          skills={skills}
          days={DAYS[placement]}
          pending={sending.isPending}
          error={sending.error}
          onCancel={() => setMaking(false)}
          onSend={(body) => sending.mutate({ params: { name }, body: { ...body, token_placement: placement } })}
        >
          <Radio.Group label="Where the token goes" value={placement} onChange={(value) => setPlacement(value === 'url_query' ? 'url_query' : 'header')}>
            <Stack gap="xs" mt="xs">
              <Radio value="url_query" label="In the addresses" description="Only for programs that cannot send headers. Histories and logs keep addresses." />
              <Radio value="header" label="In a header" description="For programs that send Authorization." />
            </Stack>
          </Radio.Group>
        </ProgramForm>
      )}
      <List
        label="Integration links"
        pages={links}
        keyOf={({ link_id }) => String(link_id)}
        empty={!isMaking && <Empty title="No links." command={`svc links create ${name} --label "workflow builder"`} />}
        columns={[
          {
            head: 'Program',
            wide: true,
            cell: ({ label, scopes, token_placement }) => (
              <>
                <bdi>{label}</bdi>
                <Under>
                  {scopes === null ? 'all skills' : scopes.join(', ')} · token {token_placement === 'header' ? 'in a header' : 'in the address'}
                </Under>
              </>
            ),
          },
          { head: 'Used', cell: ({ last_used_at }) => (last_used_at === null ? 'never' : <When at={last_used_at} />) },
          { head: 'Ends', cell: ({ expires_at }) => <When at={expires_at} /> },
          { head: 'Actions', end: true, cell: ({ link_id, label }) => <Revoke name={name} id={link_id} label={label} /> },
        ]}
      />
    </Section>
  );
}

function Revoke({ name, id, label }: { name: string; id: number; label: string }) {
  const sending = useSend('agents', 'revokeIntegrationLink', { done: 'The link is revoked.' });
  return (
    <AskingAction
      label="Revoke"
      size="xs"
      question={`Revoke the link for ${label}?`}
      loading={sending.isPending}
      onAct={() => sending.mutate({ params: { name, link_id: id } })}
    >
      Its token and its addresses stop working at once.
    </AskingAction>
  );
}
