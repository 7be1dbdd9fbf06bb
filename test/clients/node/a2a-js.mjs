// The A2A JavaScript SDK.
import { randomUUID } from 'node:crypto';
import { ClientFactory } from '@a2a-js/sdk/client';
import { tell, URL } from './report.mjs';

const client = await new ClientFactory().createFromUrl(URL);
const send = (part, more = {}) =>
  client.sendMessage({
    tenant: '',
    metadata: {},
    configuration: undefined,
    message: {
      messageId: randomUUID(),
      contextId: '',
      taskId: '',
      role: 1,
      parts: [{ metadata: {}, filename: '', mediaType: '', content: part }],
      metadata: {},
      extensions: [],
      referenceTaskIds: [],
      ...more,
    },
  });
const call = (skill, args) => send({ $case: 'data', value: args }, { metadata: { skill } });

const card = await client.getAgentCard();
const asked = await call('paint', {});
tell('@a2a-js/sdk', {
  discover: card.name,
  list: card.skills.map(({ id }) => id),
  call: JSON.stringify(await call('greet', { name: 'Ada' })),
  refuse: await call('add', { a: 'x' }).then(JSON.stringify, String),
  answer: JSON.stringify(await send({ $case: 'text', value: 'blue' }, { taskId: asked.id })),
});
