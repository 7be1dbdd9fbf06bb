import { expect, test } from 'vitest';
import { readEnvironment } from './environment.ts';

const whole = {
  DATABASE_URL: 'postgres://localhost/svc',
  TEMPORAL_ADDRESS: 'localhost:7233',
  SVC_BASE_URL: 'http://localhost:8080/',
  SVC_AGENTS_DOMAIN: 'localhost:8080',
  SVC_STATE_DIR: '/var/lib/svc',
  SVC_SECRETS_DIR: '/etc/svc',
  SVC_HOST_SOCKET: '/run/svc/host.sock',
};

test('the environment of imported agents is read, with what it leaves out', () => {
  expect(readEnvironment({ ...whole, SVC_IMPORT_LOCAL_HOSTS: 'agents.internal, 10.0.0.2:8000,' })).toMatchObject({
    SVC_BASE_URL: 'http://localhost:8080',
    TEMPORAL_NAMESPACE: 'svc',
    SVC_LOG_LEVEL: 'info',
    SVC_IMPORT_LOCAL_HOSTS: ['agents.internal', '10.0.0.2:8000'],
  });
});

test('one that is not complete is named, variable by variable', () => {
  const { DATABASE_URL: _, SVC_HOST_SOCKET: __, ...rest } = whole;
  expect(() => readEnvironment(rest)).toThrow(/is not complete:[^]*DATABASE_URL[^]*SVC_HOST_SOCKET/);
});
