// What document 3 says that each command takes, one line a command: its places, then its options as `--name
// TYPE = default`. `!` after a type: required. A pair `--a/--b` is two flags, `= --a` the one that counts
// when neither is given. `{…}`: said in words on the help page.

const P = '--project,-p PATH = .';
const A = '--api TEXT';
const KEY = [A, '--scheme-name TEXT'];
const LISTING = '--public/--private';
const LOGIN = [
  '--api TEXT = {SVC_API_URL, else http://localhost:8080}',
  '--issuer TEXT = {<api>/idp}',
  '--client-id TEXT = svc-cli',
  '--scope TEXT = openid email offline_access mcp:invoke agent:read',
  '--port INTEGER = {41873}',
  '--token TEXT',
  '--open/--no-open = --open',
];
const LOCAL = ['--api TEXT', '--token TEXT', '--token-email TEXT = ada@svc.local', '--docker-token/--no-docker-token = --docker-token'];
const WAIT_CONTROL_PLANE = '--wait-control-plane/--no-wait-control-plane = --wait-control-plane';
const SERVE = ['--host TEXT = 127.0.0.1', '--port INTEGER = 8000', '--reload/--no-reload = --reload', '--env-file PATH = {.env.local}', '--workspace PATH'];
const GENERATE = ['--name,-n TEXT', '--description,-d TEXT', '--base-url TEXT', LISTING, A];
const RECEIPT = ['--token TEXT', '--agent TEXT', '--key TEXT', A];

export const TOOL_OPTIONS: Record<string, { places?: string; options?: readonly string[] }> = {
  agents: { options: [A] },
  'auth api-key': { places: 'AGENT', options: ['--value TEXT!', '--name TEXT!', '--location TEXT = header', ...KEY] },
  'auth bearer': { places: 'AGENT', options: ['--token TEXT!', '--scheme TEXT = Bearer', ...KEY] },
  'auth delete': { places: 'AGENT CONNECTION_ID', options: [A] },
  'auth mtls': { places: 'AGENT', options: ['--cert PATH!', '--key PATH!', '--ca PATH', ...KEY] },
  'auth oauth-token': {
    places: 'AGENT',
    options: [
      '--access-token TEXT!',
      '--scheme-type TEXT = oauth2',
      '--refresh-token TEXT',
      '--token-url TEXT',
      '--client-id TEXT',
      '--client-secret TEXT',
      '--expires-in INTEGER',
      ...KEY,
    ],
  },
  'auth status': { places: 'AGENT', options: [A] },
  build: { options: [P, '--registry TEXT = localhost:5000', '--push = off'] },
  call: { places: 'AGENT TOOL [KEY=VALUE...]', options: ['--json TEXT', A] },
  card: { options: [P] },
  chat: {
    options: [
      P,
      ...SERVE,
      '--build/--no-build = --build',
      '--up/--no-up = --up',
      '--detach/--foreground = --foreground',
      '--down = off',
      '--volumes = off',
      '--print-compose = off',
      '--base-image TEXT = python:3.11-slim',
    ],
  },
  compile: { options: [P, '--out,-o PATH = {.svc/agent.dsl.json}', '--stdout = off'] },
  deploy: { places: '[PROJECT]', options: [P, LISTING, '--wait/--no-wait = --wait', A] },
  dev: { options: [P, ...SERVE, '--docker/--host-runtime = --host-runtime', '--local = off', '--agent TEXT', A] },
  'frontend build': { options: [P] },
  'frontend info': { options: [P] },
  import: {
    places: 'URL',
    options: [
      '--name,-n TEXT',
      '--public/--private = --private',
      '--auth-bearer TEXT',
      '--auth-api-key TEXT',
      '--auth-name TEXT',
      '--auth-location TEXT = header',
      '--auth-scheme TEXT = Bearer',
      A,
    ],
  },
  init: {
    places: 'NAME',
    options: [
      '--description,-d TEXT = A new agent',
      '--target,-t PATH = .',
      '--language,-l TEXT = python',
      '--frontend TEXT',
      '--frontend-mode TEXT = static',
      '--auth TEXT = inherit',
    ],
  },
  'local-cleanup': { places: 'NAME', options: [...LOCAL, WAIT_CONTROL_PLANE, '--ignore-missing = off', '--json = off'] },
  'local-deploy': {
    places: '[PROJECT]',
    options: [P, LISTING, ...LOCAL, WAIT_CONTROL_PLANE, '--wait-agent/--no-wait-agent = --no-wait-agent', '--json = off'],
  },
  login: { options: LOGIN },
  signup: { options: LOGIN },
  logout: {},
  logs: { places: '[AGENT]', options: ['--deploy TEXT', '--follow,-f = off', '--tail,-n INTEGER = 200', P, A] },
  'mcp-url': { places: '[NAME]', options: [P, A] },
  'openapi client': {
    options: [P, '--out,-o PATH = {frontend/src/svc-client}', '--base-url TEXT', '--skill,-s TEXT', '--require-bearer/--public', '--spec-out PATH'],
  },
  'openapi generate': { places: '[URL]', options: GENERATE },
  'openapi preview': { places: '[URL]', options: GENERATE },
  'openapi spec': { options: [P, '--out,-o PATH', '--base-url TEXT', '--require-bearer/--public'] },
  'receipt list': { places: '[AGENT]', options: ['--limit,-n INTEGER = 20', A] },
  'receipt show': { places: '[RECEIPT_ID]', options: RECEIPT },
  'receipt verify': { places: '[RECEIPT_ID]', options: RECEIPT },
  // The table requires it: an addition, it may be left out where svc.yaml names it.
  run: { options: ['--entrypoint,-e TEXT', '--host TEXT = 0.0.0.0', '--port INTEGER = 8000', P] },
  sidecar: { options: ['--dsl PATH = .svc/agent.dsl.json', '--worker-url TEXT = http://127.0.0.1:9001', '--host TEXT = 0.0.0.0', '--port INTEGER = 8000'] },
  ssh: { places: '[AGENT]', options: ['--print = off', '--tunnel = off', '--port INTEGER = 0', '--json = off', '--api HIDDEN'] },
  'ssh-proxy': { places: 'AGENT' },
  test: { options: [P, '--env-file PATH = {.env.local}', '--workspace PATH', '--invoke/--no-invoke = --no-invoke', '--skill TEXT', '--args-json TEXT'] },
  unuse: { places: 'AGENT' },
  use: { places: 'AGENT', options: [A, '--no-prompt = off'] },
  validate: { options: [P] },
  whoami: {},
};

/** Commands that are not there yet; empty in the end. */
export const MISSING_COMMANDS: readonly string[] = [];
