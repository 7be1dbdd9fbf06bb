// `svc help WORD`: commands by their names, by what they do, and by other words for it.
import type { Page } from './help.ts';

/** What people call it, by the word that a name or a description has. */
const SYNONYMS: Readonly<Record<string, string>> = {
  abort: 'cancel', account: 'whoami', approve: 'answer', authenticate: 'login', balance: 'credits', benchmark: 'eval', certificate: 'domains',
  colleague: 'members', compare: 'trials', config: 'setup', console: 'ssh', copy: 'clone', cost: 'prices', cron: 'schedules', db: 'databases',
  debug: 'logs', deny: 'answer', destroy: 'delete', dns: 'domains', download: 'get', earn: 'payouts', email: 'mailbox', env: 'secrets',
  environment: 'secrets', error: 'logs', errors: 'logs', execute: 'call', history: 'runs', hostname: 'domains', inbox: 'answer', invoke: 'call',
  job: 'runs', jobs: 'runs', key: 'tokens', kill: 'cancel', limit: 'policy', limits: 'policy', lint: 'validate', llm: 'models', ls: 'list',
  member: 'members', new: 'init', openai: 'models', organisation: 'orgs', organization: 'orgs', password: 'secrets', pay: 'payouts',
  permission: 'scopes', permissions: 'scopes', postgres: 'databases', ps: 'runs', publish: 'deploy', push: 'deploy', quota: 'policy',
  register: 'signup', release: 'deploy', remove: 'delete', repo: 'clone', restart: 'rollback', revert: 'rollback', rm: 'delete', scaffold: 'init',
  serve: 'run', session: 'sign-ins', sessions: 'sign-ins', share: 'files', shell: 'ssh', ship: 'deploy', show: 'get', signature: 'receipt',
  signin: 'login', signout: 'logout', spend: 'charges', spending: 'charges', sql: 'databases', stop: 'cancel', storage: 'files',
  subscription: 'billing', swagger: 'openapi', tail: 'logs', template: 'init', terminal: 'ssh', timer: 'schedules', tunnel: 'ssh', undo: 'rollback',
  uninstall: 'delete', up: 'deploy', upload: 'deploy', user: 'members', users: 'members', variable: 'secrets', variables: 'secrets',
  view: 'get', webhook: 'links', worker: 'workers',
}; // prettier-ignore

/** The word that our names have for it; undefined where people call it no otherwise. */
export function ownWord(word: string): string | undefined {
  return Object.hasOwn(SYNONYMS, word) ? SYNONYMS[word] : undefined;
}

/** Those that have every word, the best first. */
export function findCommands(pages: readonly Page[], typed: readonly string[]): Page[] {
  const words = typed.flatMap((word) => word.toLowerCase().split(/\s+/)).filter(Boolean);
  const scored = pages.map((page) => ({ page, score: Math.min(...words.map((word) => scoreOf(page, word))) }));
  return scored
    .filter(({ score }) => score > 0)
    .toSorted((a, b) => b.score - a.score)
    .map(({ page }) => page);
}

/** 0: it has nothing of the word. */
function scoreOf({ words, also, description = '', details = '' }: Page, word: string): number {
  const own = ownWord(word);
  const names = words.split(' ');
  if (names.includes(word)) return 6;
  if (own !== undefined && names.includes(own)) return 5;
  if (also.some((path) => path.split(' ').includes(word))) return 4;
  if (names.some((name) => begins(name, word))) return 3;
  if (beginsIn(description, word)) return 2;
  return beginsIn(details, word) ? 1 : 0;
}

function beginsIn(text: string, word: string): boolean {
  return text
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .some((one) => begins(one, word));
}

/** A few letters begin too much. */
function begins(text: string, word: string): boolean {
  return text === word || (word.length > 3 && text.startsWith(word));
}
