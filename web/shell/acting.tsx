// For whom this tab acts: a line above every page while it is an organization.
import { Text, UnstyledButton } from '@mantine/core';
import { IconUsersGroup } from '@tabler/icons-react';
import { actsFor } from '../api/organization.ts';
import { useInBrowser } from '../kit/in-browser.ts';
import { PageLink } from '../kit/page-link.tsx';
import { actFor } from '../session/act-for.ts';
import { useOrganizations } from '../session/organizations.ts';
import { useSession } from '../session/session.ts';
import styles from './strip.module.css';

/** Undefined: for the person. */
export function useActsFor(): { slug: string; name: string; only: boolean } | undefined {
  const { acts_only_for: only } = useSession();
  // A server does not know the tab.
  const inBrowser = useInBrowser();
  const slug = only?.slug ?? (inBrowser ? actsFor() : undefined);
  const name = useOrganizations(slug !== undefined && !only).find((one) => one.slug === slug)?.name;
  return slug === undefined ? undefined : { slug, name: only?.name ?? name ?? slug, only: Boolean(only) };
}

export function Acting() {
  const acting = useActsFor();
  if (!acting) return null;
  const { slug, name, only } = acting;
  return (
    <aside className={styles.strip} data-kind="organization" aria-label="Organization">
      <IconUsersGroup size={16} aria-hidden />
      <Text size="sm" span fw={600}>
        {only ? `You are signed in through ${name}’s provider: you act for ${name} only.` : `This tab acts for ${name}`}
      </Text>
      {only ? (
        <PageLink to="/organizations/$slug/sso" params={{ slug }} size="sm">
          Link your account to use the rest
        </PageLink>
      ) : (
        <UnstyledButton onClick={() => actFor(undefined)}>Act for yourself</UnstyledButton>
      )}
    </aside>
  );
}
