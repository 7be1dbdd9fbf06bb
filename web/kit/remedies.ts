// What to do about an error code of the API: in the page, with a link, and in the terminal.
import { ERRORS } from '#contract/errors/index.ts';
import type { ErrorEntry } from '#contract/errors/kit.ts';
import { withoutCommands } from './plain-words.ts';

export interface Remedy {
  text: string;
  /** The page where that is done. */
  page: { label: string; to: string } | undefined;
  command: string | undefined;
}

const all: Record<string, ErrorEntry | undefined> = ERRORS;

const models = { label: 'Models', to: '/models' };
const mine = { label: 'My agents', to: '/agents/mine' };
const PAGES: Record<string, Remedy['page']> = {
  models,
  orgs: { label: 'Organizations', to: '/organizations' },
  agents: { label: 'Find agents', to: '/agents' },
  describe: { label: 'Find agents', to: '/agents' },
  billing: { label: 'Billing', to: '/billing' },
  credits: { label: 'Credits', to: '/credits' },
  payouts: { label: 'Payouts', to: '/payouts' },
  bounties: { label: 'Bounties', to: '/bounties' },
  proof: { label: 'Proofs', to: '/proofs' },
  databases: { label: 'Databases', to: '/databases' },
  grants: { label: 'Grants', to: '/grants' },
  'sign-ins': { label: 'Settings', to: '/settings' },
  secrets: mine,
  callers: mine,
  links: mine,
  domains: mine,
  origins: mine,
  mailbox: mine,
  findings: mine,
  prices: mine,
  auth: mine,
};

export const remedyOf = (code: string): Remedy | undefined => {
  const entry = all[code];
  return entry && remedyIn(entry.remedy);
};

export function remedyIn(remedy: string): Remedy {
  const { text, command } = withoutCommands(remedy);
  return { text, command, page: command === undefined ? undefined : PAGES[command.split(' ')[1] ?? ''] };
}
