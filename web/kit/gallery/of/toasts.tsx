import { Button, Group } from '@mantine/core';
import { ApiError } from '#contract/client.ts';
import { tell, Toasts } from '../../toasts.tsx';
import type { States } from '../states.ts';

export const toasts: States = {
  'press to see': () => (
    <Group gap="xs">
      <Toasts />
      <Button variant="default" onClick={() => tell.done('File saved.')}>
        Done
      </Button>
      <Button variant="default" onClick={() => tell.failed(new ApiError(409, { code: 'name_taken', message: 'The name is taken', request_id: 'req_1' }))}>
        Failed
      </Button>
    </Group>
  ),
};
