// Signing in by an organization's own provider: by its name, or by an address whose domain leads to it.
import { Button, Stack, TextInput } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { Page } from '../../kit/page.tsx';

const route = getRouteApi('/sign-in/organization');

export function ByOrganization() {
  const { to } = route.useSearch();
  const [who, setWho] = useState('');
  const given = who.trim().toLowerCase();
  const go = (): void => {
    const by: Record<string, string> = given.includes('@') ? { email: given } : { organization: given };
    window.location.assign(`/v1/auth/sso/start?${new URLSearchParams({ ...by, ...(to !== undefined && { redirect_to: to }) })}`);
  };
  return (
    <Page title="Sign in by your organization" lead="You continue at your organization's own sign-in page.">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (given !== '') go();
        }}
      >
        <Stack maw={420} gap="md">
          <TextInput
            label="Organization or email address"
            placeholder="acme, or you@example.com"
            value={who}
            onChange={(event) => setWho(event.currentTarget.value)}
            autoFocus
            required
          />
          <Button type="submit" style={{ alignSelf: 'start' }}>
            Continue
          </Button>
        </Stack>
      </form>
    </Page>
  );
}
