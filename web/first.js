// Runs before anything is painted. What a server has rendered is seen before the scripts of the page run: it is shown in the reader's colors, not at all
// in a tab that acts for an organization, and what is done with it until then is done again when they do (app/early.ts).
(() => {
  const root = document.documentElement;
  const kept = (of, key) => {
    try {
      return of()?.getItem(key) ?? null;
    } catch {
      // A browser that keeps nothing.
      return null;
    }
  };
  const scheme = kept(() => localStorage, 'mantine-color-scheme-value');
  const isDark = scheme === 'dark' || (scheme !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches);
  root.setAttribute('data-mantine-color-scheme', isDark ? 'dark' : 'light');
  if (kept(() => sessionStorage, 'svc.organization') !== null || new URLSearchParams(location.search).has('org')) root.setAttribute('data-acts-for', '');

  const early = [];
  const kinds = ['click', 'input', 'keydown'];
  const keep = (event) => void early.push(event);
  const stay = (event) => event.preventDefault();
  for (const kind of kinds) addEventListener(kind, keep, true);
  // Without the scripts it would leave the page, with what was typed in its address.
  addEventListener('submit', stay, true);
  window.svcEarly = () => {
    for (const kind of kinds) removeEventListener(kind, keep, true);
    removeEventListener('submit', stay, true);
    return early;
  };
})();
