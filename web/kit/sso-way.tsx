// An organization demands its own sign-in: the way there, and for owners the way out when the provider is
// broken. Or the sign-in was one of an organization, and the tab acts for another: the way back.
import { Button, Group } from '@mantine/core';
import { useLocation } from '@tanstack/react-router';
import { ApiError } from '#contract/client.ts';
import { actsFor, keepActingFor } from '../api/organization.ts';
import { useSend } from '../api/query.ts';
import { AskingAction } from './action.tsx';

export function SsoWay({ error }: { error: unknown }) {
  const back = useLocation({ select: ({ pathname, searchStr }) => pathname + searchStr });
  const { sign_in_path: path, organization: slug, role } = error instanceof ApiError ? error.detail : {};
  if (error instanceof ApiError && error.code === 'sso_limited') return <ActFor slug={slug} />;
  if (typeof path !== 'string' || !path.startsWith('/v1/auth/sso/') || typeof slug !== 'string') return null;
  return (
    <Group gap="sm">
      <Button component="a" href={`${path}&${new URLSearchParams({ redirect_to: back })}`} size="xs">
        Sign in by {slug}
      </Button>
      {role === 'owner' && <EndRequirement slug={slug} />}
    </Group>
  );
}

function ActFor({ slug }: { slug: unknown }) {
  if (typeof slug !== 'string' || actsFor() === undefined) return null;
  const act = (): void => {
    keepActingFor(undefined);
    window.location.assign('/');
  };
  return (
    <Group>
      <Button size="xs" onClick={act}>
        Act for {slug}
      </Button>
    </Group>
  );
}

function EndRequirement({ slug }: { slug: string }) {
  const end = useSend('organizationSso', 'breakGlass', {
    done: 'No longer required.',
    refresh: ['organizations'],
    onDone: () => window.location.reload(),
  });
  return (
    <AskingAction
      label="The provider is broken"
      question="End the requirement for everybody?"
      loading={end.isPending}
      onAct={() => end.mutate({ params: { slug } })}
    >
      As an owner who signed in within the last 15 minutes. It stands in the audit log.
    </AskingAction>
  );
}
