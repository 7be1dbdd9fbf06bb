// What the menu and the palette lead to.
import {
  IconActivity,
  IconBook,
  IconCoins,
  IconCalendarTime,
  IconCoin,
  IconCpu,
  IconDatabase,
  IconCreditCard,
  IconDeviceDesktopAnalytics,
  IconFiles,
  IconGift,
  IconHammer,
  IconHome,
  IconInbox,
  IconKey,
  IconMessages,
  IconReceipt,
  IconRobot,
  IconScale,
  IconSearch,
  IconSettings,
  IconShieldCog,
  IconSitemap,
  IconTopologyStar3,
  IconUsersGroup,
  IconWallet,
} from '@tabler/icons-react';
import type { ComponentType } from 'react';
import type { Session } from '../session/session.ts';

export interface Place {
  label: string;
  to: string;
  icon: ComponentType<{ size?: number | string; stroke?: number | string }>;
  needs?: 'account' | 'operator';
  /** In the menu, or in the part of it that is opened by "More". Absent: only in the palette. */
  menu?: true | 'more';
  /** Other words by which the palette finds it. */
  words?: string;
}

const PLACES: readonly Place[] = [
  { label: 'Home', to: '/', icon: IconHome, menu: true },
  { label: 'Agents', to: '/agents', icon: IconSearch, menu: true, words: 'registry search find public skills' },
  { label: 'My agents', to: '/agents/mine', icon: IconRobot, needs: 'account', menu: true, words: 'deploy own' },
  { label: 'Inbox', to: '/inbox', icon: IconInbox, needs: 'account', menu: true, words: 'questions approvals waiting answer forms scope' },
  {
    label: 'Control room',
    to: '/control-room',
    icon: IconDeviceDesktopAnalytics,
    needs: 'account',
    menu: true,
    words: 'policy budget spend denials approve limits',
  },
  { label: 'Runs', to: '/runs', icon: IconActivity, needs: 'account', menu: true, words: 'activity jobs deployments history' },
  { label: 'Chat', to: '/chat', icon: IconMessages, needs: 'account', menu: true, words: 'threads conversation talk' },
  { label: 'Schedules', to: '/schedules', icon: IconCalendarTime, needs: 'account', menu: true, words: 'cron calendar' },
  { label: 'Plans', to: '/plans', icon: IconSitemap, needs: 'account', menu: 'more', words: 'dag steps graph' },
  { label: 'Studio', to: '/studio', icon: IconHammer, needs: 'account', menu: true, words: 'make build agent goal recipe generate resolve' },
  { label: 'Try the studio', to: '/studio/guest', icon: IconHammer, words: 'make agent guest without account source recipe' },
  { label: 'Ideas for agents', to: '/studio/ideas', icon: IconHammer, needs: 'account', words: 'studio theme hundred' },
  { label: 'Autopilot', to: '/studio/autopilot', icon: IconHammer, needs: 'account', words: 'studio daily look proposals' },
  { label: 'Company brain', to: '/brain', icon: IconSitemap, needs: 'account', menu: 'more', words: 'memories townhall minutes dream staff' },
  { label: 'Teams', to: '/teams', icon: IconTopologyStar3, needs: 'account', menu: 'more', words: 'collective protocols scorecards memories members goal' },
  { label: 'Trial rooms', to: '/trials', icon: IconScale, needs: 'account', menu: 'more', words: 'compare agents rate select regression suite' },
  { label: 'Simulations', to: '/simulations', icon: IconSitemap, needs: 'account', menu: 'more', words: 'kernel worlds market evolution' },
  { label: 'Calls between agents', to: '/calls', icon: IconTopologyStar3, needs: 'account', menu: 'more', words: 'subagent runs delegation' },
  { label: 'Files', to: '/files', icon: IconFiles, needs: 'account', menu: true, words: 'bucket upload workspace' },
  { label: 'Grants', to: '/grants', icon: IconKey, needs: 'account', menu: true, words: 'access shares permissions revoke' },
  {
    label: 'Rules for agents',
    to: '/policy',
    icon: IconScale,
    needs: 'account',
    menu: 'more',
    words: 'policy cedar permissions allow deny approval decisions',
  },
  { label: 'Databases', to: '/databases', icon: IconDatabase, needs: 'account', menu: 'more', words: 'postgres sql tables branches' },
  { label: 'Check a receipt', to: '/receipts', icon: IconReceipt, menu: true, words: 'verify signature proof' },
  { label: 'Charges', to: '/charges', icon: IconCoin, needs: 'account', menu: 'more', words: 'paid costs credits money prices' },
  { label: 'Bounties', to: '/bounties', icon: IconGift, menu: 'more', words: 'rewards wanted requests' },
  { label: 'Proofs', to: '/proofs', icon: IconReceipt, needs: 'account', menu: 'more', words: 'prove badge verify checks' },
  { label: 'Payouts', to: '/payouts', icon: IconCoins, needs: 'account', menu: true, words: 'earnings money owed paid statement bank account' },
  { label: 'Models', to: '/models', icon: IconCpu, needs: 'account', menu: true, words: 'llm credentials keys budget usage cost tokens' },
  { label: 'Organizations', to: '/organizations', icon: IconUsersGroup, needs: 'account', menu: true, words: 'teams members invite domains audit scim roles' },
  { label: 'Credits', to: '/credits', icon: IconWallet, needs: 'account', menu: true, words: 'wallet balance money top up pay add' },
  { label: 'Billing', to: '/billing', icon: IconCreditCard, needs: 'account', menu: 'more', words: 'plan subscription invoices seats pay upgrade' },
  { label: 'Settings', to: '/settings', icon: IconSettings, needs: 'account', menu: true, words: 'account sessions notifications sign out' },
  { label: 'Operator', to: '/operator', icon: IconShieldCog, needs: 'operator', menu: true, words: 'admin users flags settings health queues alerts' },
  { label: 'Documentation', to: '/docs', icon: IconBook, menu: true, words: 'help guide reference api cli' },
];

export function placesFor({ user }: Session): readonly Place[] {
  return PLACES.filter(({ needs }) => needs === undefined || (user !== null && (needs === 'account' || user.operator)));
}
