import { expect, test } from 'vitest';
import { readEnvironment } from './environment.ts';

const folders = { SVC_STATE_DIR: '/state', SVC_CACHE_DIR: '/cache' };

test('settings in JSON and in seconds are read; the others have their defaults', () => {
  const env = { ...folders, SVC_INTERNAL_SERVICES: '{"orders":"10.0.0.7:9000"}', SVC_SUSPEND_AFTER_SECONDS: '7', SVC_LOG_LEVEL: 'warn' };
  expect(readEnvironment(env)).toMatchObject({
    SVC_INTERNAL_SERVICES: { orders: '10.0.0.7:9000' },
    SVC_BUILD_PLANS: { default: { minutes: 15 } },
    SVC_PAUSE_AFTER_SECONDS: 5_000,
    SVC_SUSPEND_AFTER_SECONDS: 7_000,
    SVC_LOG_LEVEL: 'warn',
  });
});

test('an error names each variable that is missing or wrong', () => {
  const wrong = { SVC_STATE_DIR: '/state', SVC_BUILD_PLANS: '{"default":', SVC_INTERNAL_SERVICES: '{"orders":1}', SVC_LOG_LEVEL: 'loud' };
  for (const name of ['SVC_CACHE_DIR', 'SVC_BUILD_PLANS', 'SVC_INTERNAL_SERVICES', 'SVC_LOG_LEVEL']) expect(() => readEnvironment(wrong)).toThrow(name);
});
