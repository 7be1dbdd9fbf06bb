// Over the page whose session has ended: signs in again in a window of its own, and the page goes on.
import { Button, Group, Modal, Paper, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { signInPath, useSession } from '../session/session.ts';

/** Where that window ends: it tells this tab, and closes itself. */
const SIGNED_IN = '/signed-in';

export function SignInAgain() {
  const { user } = useSession();
  const [isOpen, setOpen] = useState(true);
  return (
    <>
      <Modal opened={isOpen} onClose={() => setOpen(false)} title="Your session has ended" centered>
        <Stack>
          <Text size="sm">Sign in again to continue as {user?.email}. This page stays open, with everything that you have typed.</Text>
          <Group justify="end">
            <Button variant="default" component="a" href="/">
              Leave this page
            </Button>
            <SignIn />
          </Group>
        </Stack>
      </Modal>
      {!isOpen && (
        <Paper withBorder shadow="md" p="sm" pos="fixed" bottom={72} left={16} style={{ zIndex: 200 }} role="status">
          <Group gap="sm">
            <Text size="sm">Your session has ended.</Text>
            <SignIn />
          </Group>
        </Paper>
      )}
    </>
  );
}

function SignIn() {
  return (
    <Button data-autofocus onClick={() => window.open(signInPath(SIGNED_IN), 'svc-sign-in', 'popup,width=520,height=720')}>
      Sign in again
    </Button>
  );
}
