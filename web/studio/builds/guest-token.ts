// The token of a guest run shows and claims it. It stays in this tab, over a reload and over signing in; it
// is in no address, where logs and histories keep it.
const KEY = 'svc.studio.guest';

export const guestToken = {
  get: (): string | undefined => sessionStorage.getItem(KEY) ?? undefined,
  set: (token: string): void => sessionStorage.setItem(KEY, token),
  clear: (): void => sessionStorage.removeItem(KEY),
};
