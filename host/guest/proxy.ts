// Makes http, https and fetch of this process use HTTP_PROXY. Node can do so itself (NODE_USE_ENV_PROXY), but
// then loads fetch at start-up, which takes most of a second under emulation; here that waits for the first
// fetch.
import http from 'node:http';
import https from 'node:https';

export function useProxy(env: Record<string, string>): void {
  // For child programs; this process began without them.
  Object.assign(process.env, env);
  const asNodeDoes = { keepAlive: true, scheduling: 'lifo', timeout: 5_000, proxyEnv: process.env } as const;
  http.globalAgent = new http.Agent(asNodeDoes);
  https.globalAgent = new https.Agent(asNodeDoes);
  const { fetch } = globalThis;
  let ready = false;
  globalThis.fetch = (input, init) => {
    if (!ready) http.setGlobalProxyFromEnv();
    ready = true;
    return fetch(input, init);
  };
}
