// What can be done from the palette, under the words that people use for it.
import {
  IconArrowBackUp,
  IconBulb,
  IconCopy,
  IconKey,
  IconLogin,
  IconLogout,
  IconMessageReply,
  IconMoon,
  IconPlus,
  IconRocket,
  IconUserPlus,
} from '@tabler/icons-react';
import { client } from '../api/client.ts';
import { copyText } from '../kit/clipboard.ts';
import { tell } from '../kit/toasts.tsx';
import { signInPath } from '../session/session.ts';
import { signOut } from '../session/sign-out.ts';
import type { Icon } from './area-icons.ts';

/** What the palette gives an action. */
interface Tools {
  go(to: string): void;
  switchTheme(): void;
}

export type Doing =
  | { to: string }
  | { act(tools: Tools): void | Promise<void> }
  /** One of the reader's agents is chosen first. */
  | { ofAgent(name: string): Doing }
  /** One of their organizations is. */
  | { ofOrganization(slug: string): Doing }
  /** What cannot be undone is asked first. */
  | { ask: string; next: Doing };

interface Action {
  label: string;
  words: string;
  icon: Icon;
  needs?: 'account' | 'visitor';
  /** Not for who acts for one organization only. */
  personal?: true;
  does: Doing;
}

const mine = (name: string, rest: string): Doing => ({ to: `/agents/mine/${encodeURIComponent(name)}/${rest}` });
const account = { needs: 'account' } as const;

export const ACTIONS: readonly Action[] = [
  {
    ...account,
    label: 'Answer the oldest question',
    words: 'approve decide reply respond next waiting approval inbox',
    icon: IconMessageReply,
    does: { act: answerOldest },
  },
  {
    ...account,
    label: 'Create an agent',
    words: 'create new add start agent upload folder archive git',
    icon: IconPlus,
    does: { to: '/agents/mine?make=template' },
  },
  {
    ...account,
    label: 'Deploy from a template',
    words: 'create starter example scaffold new agent sample hello init',
    icon: IconRocket,
    does: { to: '/agents/mine?make=template' },
  },
  {
    ...account,
    label: 'Add a secret',
    words: 'set secret environment variable env password key credential',
    icon: IconKey,
    does: { ofAgent: (name) => mine(name, 'secrets?add=true') },
  },
  {
    ...account,
    label: 'Roll back an agent',
    words: 'rollback revert undo previous version restore deployment',
    icon: IconArrowBackUp,
    does: { ofAgent: (name) => mine(name, 'deployments') },
  },
  {
    ...account,
    label: 'Create an API token',
    words: 'make token key program access bearer ci',
    icon: IconKey,
    does: { ofAgent: (name) => mine(name, 'access?add=true') },
  },
  {
    ...account,
    label: 'Copy the MCP address of an agent',
    words: 'url endpoint claude cursor model context protocol connect',
    icon: IconCopy,
    does: { ofAgent: (name) => ({ act: () => copyAddress(name) }) },
  },
  {
    ...account,
    label: 'Invite a member',
    words: 'add person user colleague team organization share',
    icon: IconUserPlus,
    does: { ofOrganization: (slug) => ({ to: `/organizations/${slug}?edit=new` }) },
  },
  {
    ...account,
    personal: true,
    label: 'Create an organization',
    words: 'new team company account',
    icon: IconPlus,
    does: { to: '/organizations?edit=new' },
  },
  { ...account, label: 'Add a model key', words: 'llm openai anthropic credential api key provider', icon: IconKey, does: { to: '/models' } },
  { ...account, label: 'Schedule a run', words: 'new cron timer recurring daily', icon: IconPlus, does: { to: '/schedules?edit=new' } },
  { label: 'Switch theme', words: 'dark light mode colors appearance night', icon: IconMoon, does: { act: ({ switchTheme }) => switchTheme() } },
  { label: 'Get started', words: 'tutorial first steps learn introduction', icon: IconBulb, does: { to: '/docs' } },
  {
    needs: 'visitor',
    label: 'Sign in',
    words: 'log in login account register sign up',
    icon: IconLogin,
    does: { act: () => location.assign(signInPath(location.pathname + location.search)) },
  },
  {
    ...account,
    label: 'Sign out',
    words: 'log out logout exit leave end session',
    icon: IconLogout,
    does: { ask: 'Sign out of this browser?', next: { act: () => signOut() } },
  },
];

/** Ids of waits begin with their time. */
async function answerOldest({ go }: Tools): Promise<void> {
  const { items } = await client.inbox.waits({ query: { limit: 100 } });
  const [oldest] = items.filter(({ approval }) => approval?.may_vote ?? true).toSorted((a, b) => (a.wait_id < b.wait_id ? -1 : 1));
  if (oldest) go(`/inbox?wait=${oldest.wait_id}`);
  else tell.done('Nothing needs your answer.');
}

async function copyAddress(name: string): Promise<void> {
  const { url } = await client.agents.get({ params: { name } });
  await copyText(`${url}/mcp`);
  tell.done(`Copied: ${url}/mcp`);
}
