import { Connection } from '@temporalio/client';
import { expect, test } from 'vitest';
import { testTemporal } from './servers.ts';

test('the Temporal server has our namespace and search attributes, once for all', async () => {
  const [one, other] = await Promise.all([testTemporal(), testTemporal()]);
  expect(one.address).toBe(other.address);
  expect(one.taskQueue).not.toBe(other.taskQueue);
  const connection = await Connection.connect({ address: one.address });
  try {
    const { customAttributes } = await connection.operatorService.listSearchAttributes({ namespace: one.namespace });
    expect(Object.keys(customAttributes)).toEqual(expect.arrayContaining(['SvcKind', 'SvcAgent', 'SvcOwner', 'SvcJob']));
  } finally {
    await connection.close();
  }
});
