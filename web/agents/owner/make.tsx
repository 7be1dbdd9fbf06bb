// The ways to make an agent, each with its form.
import { CloseButton, Group, Paper, SimpleGrid, Stack, Text, Title } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { RequestForm } from '../../form/request-form.tsx';
import { InTerminal } from '../../kit/in-terminal.tsx';
import { PageLink } from '../../kit/page-link.tsx';
import { Loading } from '../../kit/page.tsx';
import styles from './make.module.css';
import { type Way, WAYS } from './ways.ts';

const FromOpenapi = lazy(async () => ({ default: (await import('./from-openapi.tsx')).FromOpenapi }));
const FromTemplate = lazy(async () => ({ default: (await import('./from-template.tsx')).FromTemplate }));
const Upload = lazy(async () => ({ default: (await import('./upload.tsx')).Upload }));

const WORDS: Record<Way, { label: string; about: string }> = {
  template: { label: 'From a template', about: 'A small working agent to change afterwards, here in the page or on your machine. It is live in a minute.' },
  upload: { label: 'Upload a project', about: 'A folder or a .tar.gz with an svc.yaml. It is built, started, checked, and then live.' },
  source: { label: 'Empty repository', about: 'A new git repository. A push to main deploys it.' },
  import: { label: 'Import a running agent', about: 'It stays where it is: an A2A agent, an MCP server, or an agent of another installation.' },
  openapi: { label: 'From an OpenAPI description', about: 'Each operation of an API becomes a skill. The source is yours to edit.' },
  compose: { label: 'Compose from other agents', about: 'A manifest names agents and their skills; the source is generated.' },
  register: { label: 'Register a name', about: 'Reserves the name. Deploy the agent later.' },
};

export function Make({ way }: { way: Way }) {
  const navigate = useNavigate();
  return (
    <Paper withBorder p="lg" component="section" aria-label="Create an agent">
      <Stack>
        <Group justify="space-between" wrap="nowrap" align="start">
          <div>
            <Title order={2}>Create an agent</Title>
            {way !== 'template' && <InTerminal command="svc init my-agent && cd my-agent && svc deploy" />}
          </div>
          <CloseButton aria-label="Close" onClick={() => void navigate({ to: '/agents/mine' })} />
        </Group>
        <SimpleGrid cols={{ base: 1, xs: 2, md: 3 }} spacing="xs">
          {WAYS.map((one) => (
            <PageLink key={one} to="/agents/mine" search={{ make: one }} className={styles.way ?? ''} underline="never" activeOptions={{ exact: true }}>
              {WORDS[one].label}
            </PageLink>
          ))}
        </SimpleGrid>
        <Text size="sm">{WORDS[way].about}</Text>
        <Suspense fallback={<Loading lines={2} />}>
          <Form key={way} way={way} />
        </Suspense>
      </Stack>
    </Paper>
  );
}

function Form({ way }: { way: Way }) {
  const navigate = useNavigate();
  const toAgent = ({ name }: { name: string }): void => void navigate({ to: '/agents/mine/$name', params: { name } });
  const toDeployment = ({ name, deploy_id }: { name: string; deploy_id: string }): void =>
    void navigate({ to: '/agents/mine/$name/deployments/$deployId', params: { name, deployId: deploy_id } });
  switch (way) {
    case 'template':
      return <FromTemplate onDone={toDeployment} />;
    case 'upload':
      return <Upload onDone={toDeployment} />;
    case 'openapi':
      return <FromOpenapi onDone={toDeployment} />;
    case 'source':
      return (
        <RequestForm
          group="agents"
          route="fromSource"
          input={{}}
          fields={['name', 'description', 'tags']}
          initial={{ name: '' }}
          submit="Create repository"
          done={({ clone_command }) => `Repository created. Clone it with: ${clone_command}`}
          onDone={({ name }) => void navigate({ to: '/agents/mine/$name/source', params: { name } })}
        />
      );
    case 'import':
      return (
        <RequestForm
          group="agents"
          route="import"
          input={{}}
          initial={{ url: '' }}
          submit="Import agent"
          done={({ name, skills }) => `${name} is imported, with ${skills.length} ${skills.length === 1 ? 'skill' : 'skills'}.`}
          onDone={toAgent}
        />
      );
    case 'compose':
      return (
        <>
          <RequestForm
            group="agents"
            route="compose"
            input={{}}
            initial={{ name: '', goal: { objective: '' }, composition: { sub_agents: [{ name: '' }] } }}
            submit="Compose agent"
            done={({ sub_agents }) => `Composed of ${sub_agents.length} agents. Deployment started.`}
            onDone={toDeployment}
          />
          <InTerminal command="svc compose team.yaml" />
        </>
      );
    case 'register':
      return (
        <RequestForm
          group="agents"
          route="register"
          input={{}}
          initial={{ name: '' }}
          submit="Register name"
          done={({ name }) => `${name} is yours.`}
          onDone={toAgent}
        />
      );
  }
}
