import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { Empty, Page } from '../kit/page.tsx';

export function NotHere() {
  return (
    <Page title="Nothing here">
      <Empty title="This address leads to no page.">
        It may be misspelt, or what was here was deleted.
        <br />
        <Button component={Link} to="/" variant="light" mt="md">
          To the start
        </Button>
      </Empty>
    </Page>
  );
}
