import { expect, test } from 'vitest';
import { presetOf } from '#core/money/llm/catalog.ts';
import { languageModels } from '#drivers/llm/models.ts';
import { partEnvironment } from './environment.ts';
import { readSettings } from './settings.ts';

const addresses = { databaseUrl: 'postgres://x', temporalAddress: '127.0.0.1:7233' };
const environment = (env: Record<string, string> = {}) =>
  partEnvironment(readSettings({ HOME: '/nowhere', SVC_STATE_DIR: '/nowhere/.svc', ...env }), addresses);

test('the catalogued ollama is open to the one person of a machine that listens on loopback; nothing else on it is', () => {
  const localHosts = environment().SVC_LLM_LOCAL_HOSTS?.split(',') ?? [];
  const models = languageModels({ localHosts });
  for (const url of [presetOf('ollama').base_url ?? '', 'http://127.0.0.1:11434/v1']) expect(models.checkAddress(url)).toBeUndefined();
  for (const url of ['http://localhost:8080/v1', 'http://127.0.0.1:7233/', 'http://169.254.169.254/', 'http://10.0.0.5:11434/v1'])
    expect(models.checkAddress(url)).toEqual(expect.any(String));
});

test.each([{ SVC_LISTEN: '0.0.0.0' }, { SVC_BASE_URL: 'https://svc.example.com' }, { OIDC_ISSUER: 'https://login.example.com' }])(
  'a platform that others reach, or sign in to, opens none: %j',
  (env) => {
    expect(environment(env).SVC_LLM_LOCAL_HOSTS).toBeUndefined();
    expect(environment({ ...env, SVC_LLM_LOCAL_HOSTS: 'gpu.internal:8000' }).SVC_LLM_LOCAL_HOSTS).toBe('gpu.internal:8000');
  },
);

test('an operator may close it', () => {
  expect(environment({ SVC_LLM_LOCAL_HOSTS: '' }).SVC_LLM_LOCAL_HOSTS).toBe('');
});
