// What owners do with an agent that is live, each one click away.
import { Group } from '@mantine/core';
import { ButtonLink } from '../../kit/page-link.tsx';
import type { Mine } from './frame.tsx';

const look = { variant: 'default', size: 'xs' } as const;

export function NextSteps({ of: { name, kind, skills, deploy_count } }: { of: Mine }) {
  const [skill] = skills;
  const params = { name };
  return (
    <Group gap="xs" component="nav" aria-label="What to do with it">
      {skill !== undefined && (
        <ButtonLink to="/agents/$name/skills/$skill" params={{ name, skill }} {...look}>
          Try it
        </ButtonLink>
      )}
      {kind === 'hosted' && (
        <ButtonLink to="/agents/mine/$name/secrets" params={params} search={{ add: true }} {...look}>
          Add a secret
        </ButtonLink>
      )}
      {skill !== undefined && (
        <>
          <ButtonLink to="/agents/mine/$name/prices" params={params} search={{ set: true }} {...look}>
            Set a price
          </ButtonLink>
          <ButtonLink to="/schedules" search={{ edit: 'new', agent: name }} {...look}>
            Schedule a run
          </ButtonLink>
        </>
      )}
      {deploy_count > 1 && (
        <ButtonLink to="/agents/mine/$name/deployments" params={params} {...look}>
          Roll back
        </ButtonLink>
      )}
    </Group>
  );
}
