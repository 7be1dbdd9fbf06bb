// What the palette offers, and what each entry does.
import { IconArrowRight, IconRobot, IconSearch, IconUsersGroup } from '@tabler/icons-react';
import { actFor } from '../session/act-for.ts';
import type { Session } from '../session/session.ts';
import { AREA_ICONS, type Icon } from './area-icons.ts';
import { areasFor } from './nav.ts';
import { ACTIONS, type Doing } from './palette-actions.ts';
import { PAGE_WORDS } from './palette-words.ts';

export interface Entry {
  key: string;
  label: string;
  icon: Icon;
  /** At the end of the line: what kind of entry it is. */
  kind: string;
  /** Something that is done, not a page. */
  isAction?: true;
  words?: string | undefined;
  does: Doing;
}

const IDS: [RegExp, (id: string) => string][] = [
  [/^run_[0-9a-f-]{36}$/, (id) => `/runs/${id}`],
  [/^job_[0-9a-f-]{36}$/, (id) => `/jobs/${id}`],
  [/^grt_[0-9a-f-]{36}$/, (id) => `/grants/${id}`],
];

export function pagesFor(session: Session): Entry[] {
  return areasFor(session).flatMap((area) =>
    area.pages.map(({ label, to }) => ({
      key: to,
      label,
      icon: AREA_ICONS[area.id],
      kind: area.label,
      words: `${area.label} ${PAGE_WORDS[to] ?? ''}`,
      does: { to },
    })),
  );
}

export function actionsFor({ user, acts_only_for: only }: Session): Entry[] {
  return ACTIONS.filter(({ needs }) => (needs === 'visitor' ? user === null : needs === undefined || user !== null))
    .filter(({ personal }) => !personal || !only)
    .map(({ label, words, icon, does }) => ({ key: label, label, icon, kind: 'Action', isAction: true as const, words, does }));
}

/** @param now the slug of the organization that this tab acts for */
export function accountsFor(organizations: readonly { slug: string; name: string }[], now: string | undefined): Entry[] {
  const words = 'switch account organization act for change';
  return [
    ...(now === undefined
      ? []
      : [
          {
            key: 'act:',
            label: 'Switch to your personal account',
            icon: IconUsersGroup,
            kind: 'Action',
            isAction: true as const,
            words,
            does: { act: () => actFor(undefined) },
          },
        ]),
    ...organizations
      .filter(({ slug }) => slug !== now)
      .map(({ slug, name }) => ({
        key: `act:${slug}`,
        label: `Switch to ${name}`,
        icon: IconUsersGroup,
        kind: 'Action',
        isAction: true as const,
        words: `${words} ${slug}`,
        does: { act: () => actFor(slug) },
      })),
  ];
}

export const agentEntry = (name: string): Entry => ({
  key: `agent:${name}`,
  label: name,
  icon: IconRobot,
  kind: 'Agent',
  does: { to: `/agents/${encodeURIComponent(name)}` },
});

/** One of the things that an action may be about: an agent, an organization. */
export const choiceEntry = (name: string, does: Doing): Entry => ({ key: `of:${name}`, label: name, icon: IconArrowRight, kind: '', does });

export function byId(text: string): Entry[] {
  const idRoute = IDS.find(([form]) => form.test(text));
  return idRoute ? [{ key: text, label: `Open ${text}`, icon: IconSearch, kind: '', does: { to: idRoute[1](text) } }] : [];
}

/** Those in which every word begins a word of the label, then those in which it is anywhere. */
export function matching(entries: readonly Entry[], text: string): readonly Entry[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return entries;
  const rank = ({ label, words: more = '' }: Entry): number => {
    const name = label.toLowerCase();
    if (words.every((word) => ` ${name}`.includes(` ${word}`))) return 0;
    const all = ` ${name} ${more.toLowerCase()}`;
    if (words.every((word) => all.includes(` ${word}`))) return 1;
    return words.every((word) => all.includes(word)) ? 2 : 3;
  };
  return entries
    .map((entry) => ({ entry, at: rank(entry) }))
    .filter(({ at }) => at < 3)
    .toSorted((a, b) => a.at - b.at)
    .map(({ entry }) => entry);
}
