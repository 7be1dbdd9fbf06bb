// Express in its lowest and its newest supported version, each installed on its own.
import { expect, test } from 'vitest';
import { proveTypes } from './test/suite.ts';

const VERSIONS = {
  'express 4.22.1': ['express@4.22.1', '@types/express@4.17.25'],
  'express 5.3.0': ['express@5.3.0', '@types/express@5.0.6'],
};

const MORE = `import { fromExpress } from '@svc/sdk/adapters/express';
import { app } from './support.ts';
const orderId = { name: 'orderId', in: 'path', required: true, schema: { type: 'string', pattern: '^o-' } };
const Order = { type: 'object', properties: { orderId: { type: 'string' }, total: { type: 'number' } }, required: ['total'] };
const json = (schema: object) => ({ content: { 'application/json': { schema } } });
const openapi = {
  openapi: '3.1.0',
  paths: {
    '/orders/{orderId}': {
      parameters: [{ $ref: '#/components/parameters/orderId' }],
      get: { operationId: 'order', summary: 'One order.', parameters: [{ name: 'currency', in: 'query', schema: { enum: ['EUR', 'PLN'] } }], responses: { 200: json({ $ref: '#/components/schemas/Order' }) } },
    },
    '/orders/{orderId}/refunds': {
      post: { operationId: 'refund', parameters: [orderId], requestBody: { required: true, ...json({ $ref: '#/components/schemas/Refund' }) }, responses: { 201: {} } },
    },
  },
  components: { parameters: { orderId }, schemas: { Order, Refund: { type: 'object', properties: { amount: { type: 'number', exclusiveMinimum: 0 } }, required: ['amount'] } } },
};
export const Described = fromExpress(app, { name: 'described', description: 'Orders.', openapi });
export const Few = fromExpress(app, { name: 'few', description: 'Orders.', only: ['get_orders_orderId'] });
`;

proveTypes('express', { versions: VERSIONS, files: () => ({ 'more.ts': MORE }) }, (at) => {
  test('each route is a skill: path, query and body are arguments, the answer is the result', async () => {
    const got = await at.call({ skill: 'get_orders_orderId', args: { orderId: 'o-1', query: { currency: 'PLN' } } });
    expect(got.result).toEqual({ orderId: 'o-1', total: 120, currency: 'PLN' });
    expect(got.card.skills.map(({ id }) => id)).toEqual(['get_orders_orderId', 'post_orders_orderId_refunds', 'delete_orders_orderId']);
    const paid = await at.call({ skill: 'post_orders_orderId_refunds', args: { orderId: 'o-1', body: { amount: 5 } } });
    expect(paid.result).toEqual({ refunded: 5, refunds: 1 });
  });

  test('a status of failure is the skill’s error; what deletes asks first', async () => {
    expect((await at.call({ skill: 'get_orders_orderId', args: { orderId: 'x' } })).error).toMatch(/404/);
    const deleting = { skill: 'delete_orders_orderId', args: { orderId: 'o-1' } };
    const approved = await at.call({ ...deleting, answers: ['{"approve":true}'] });
    expect(approved).toMatchObject({ result: { deleted: 'o-1' }, questions: [expect.stringContaining('DELETE')] });
    expect((await at.call({ ...deleting, answers: ['{"approve":false}'] })).result).toBeUndefined();
  });

  test('a path cannot be left by an argument', async () => {
    expect((await at.call({ skill: 'get_orders_orderId', args: { orderId: '../orders/o-1' } })).error).toMatch(/404|SkillInputError/);
  });

  test('its own description gives names and types; a choice of them is offered', async () => {
    const described = { file: './more.ts', exported: 'Described' };
    const { result, card } = await at.call({ ...described, skill: 'order', args: { orderId: 'o-7', currency: 'PLN' } });
    expect(result).toEqual({ orderId: 'o-7', total: 120, currency: 'PLN' });
    expect(card.skills[0]).toMatchObject({
      id: 'order',
      description: 'One order.',
      input_schema: { properties: { currency: { enum: ['EUR', 'PLN'] } }, required: ['orderId'] },
    });
    expect((await at.call({ ...described, skill: 'refund', args: { orderId: 'o-7', body: { amount: -1 } } })).error).toMatch(/^SkillInputError/);
    const few = await at.call({ file: './more.ts', exported: 'Few' });
    expect(few.card.skills).toHaveLength(1);
  });
});
