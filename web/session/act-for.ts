import { keepActingFor } from '../api/organization.ts';

const SLUG = /^[a-z][a-z0-9-]{1,37}[a-z0-9]$/;

/** Undefined: for the person. All pages are loaded again: data of one account are never shown for another. */
export function actFor(slug: string | undefined, then = '/'): void {
  keepActingFor(slug);
  location.assign(then);
}

/** `?org=acme` in the address with which a tab begins. */
export function takeOrganization(): void {
  const slug = new URLSearchParams(location.search).get('org');
  if (slug !== null && SLUG.test(slug)) keepActingFor(slug);
}
