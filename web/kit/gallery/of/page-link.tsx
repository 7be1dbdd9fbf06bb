import { BadgeLink, ButtonLink, PageLink } from '../../page-link.tsx';
import type { States } from '../states.ts';

export const pageLink: States = {
  'a link': () => <PageLink to="/">Home</PageLink>,
  'in the shape of a button': () => <ButtonLink to="/">Home</ButtonLink>,
  'in the shape of a badge': () => <BadgeLink to="/">Home</BadgeLink>,
};
