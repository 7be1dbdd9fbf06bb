// For whom this tab acts: an organization by its slug, or the person. The tab keeps it, so that two tabs act
// for two.
import { HEADER, ORGANIZATION_QUERY } from '#contract/wire/headers.ts';
import { visit } from './visit.ts';

const KEY = 'svc.organization';

/** Undefined: for the person. */
export function actsFor(): string | undefined {
  // Tests of what is pure run where there is no tab.
  return typeof sessionStorage === 'undefined' ? undefined : (sessionStorage.getItem(KEY) ?? undefined);
}

export function keepActingFor(slug: string | undefined): void {
  if (slug === undefined) sessionStorage.removeItem(KEY);
  else sessionStorage.setItem(KEY, slug);
}

/** For requests that the typed client does not make. */
export function organizationHeader(): Record<string, string> {
  const slug = actsFor();
  return slug === undefined ? {} : { [HEADER.organization]: slug };
}

/**
 * The address of a file, for what the browser opens itself: an anchor, a picture. It sends no header, so its
 * query says for whom.
 */
export function linkTo(path: string): string {
  const slug = actsFor();
  if (slug === undefined) return path;
  return `${path}${path.includes('?') ? '&' : '?'}${new URLSearchParams({ [ORGANIZATION_QUERY]: slug })}`;
}

/** For the typed client. */
export const fetchActing: typeof fetch = async (input, init) => {
  try {
    const response = await visit().fetch(input, { ...init, headers: { ...organizationHeader(), ...Object.fromEntries(new Headers(init?.headers)) } });
    heard(response.status);
    return response;
  } catch (error) {
    if (error instanceof TypeError) heard(undefined);
    throw error;
  }
};

/** What every answer is told to, by its status; undefined: none arrived. */
let heard = (_status: number | undefined): void => undefined;

export function onAnswers(hear: typeof heard): void {
  heard = hear;
}
