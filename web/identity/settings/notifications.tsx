// How the reader hears that something waits: by mail, and by this browser while a page of the dashboard is
// open.
import { Anchor, Paper, Stack, Switch, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useRead, useSend } from '../../api/query.ts';
import { useInBrowser } from '../../kit/in-browser.ts';
import { Section } from '../../kit/page.tsx';

export function Notifications() {
  const { mail, mail_served: served, address } = useRead('inbox', 'notifications', {});
  const inBrowser = useInBrowser();
  const setting = useSend('inbox', 'setNotifications');
  return (
    <Section title="Notifications" lead="When an agent waits for your answer.">
      <Paper withBorder p="md">
        <Stack>
          <Switch
            label="Mail"
            description={
              served
                ? `To ${address}, when something has waited for two minutes. Several at once are one mail.`
                : 'This installation sends no mail: its operator has named no mail domain.'
            }
            checked={setting.isPending ? setting.variables.body.mail : mail}
            disabled={!served && !mail}
            onChange={(event) => setting.mutate({ body: { mail: event.currentTarget.checked } })}
          />
          <div>
            <Text size="sm">This browser</Text>
            <Text size="xs" c="dimmed">
              {inBrowser && permissionInWords()}{' '}
              <Anchor component={Link} to="/inbox" size="xs" underline="always">
                To the inbox
              </Anchor>
            </Text>
          </div>
        </Stack>
      </Paper>
    </Section>
  );
}

function permissionInWords(): string {
  if (!('Notification' in window)) return 'This browser shows no notifications, or only of sites with https.';
  if (Notification.permission === 'denied') return 'This browser blocks notifications of this site. Allow them in its settings for the site.';
  if (Notification.permission === 'granted') return 'This browser may show notifications of this site. They are switched on and off in the inbox.';
  return 'This browser was not asked yet whether it may show notifications. They are switched on in the inbox.';
}
