// Runs before anything is painted. What a server has rendered is seen before the scripts of the page run: it
// is shown in the reader's colors, not at all in a tab that acts for an organization, and what is done with
// it until then is held until they do (shell/held.ts).
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

  const kinds = ['click', 'input', 'keydown'];
  const held = { events: [], holds: true };
  const hold = (event) => {
    // The browser itself follows a link.
    if (!held.holds || (event.type === 'click' && event.target.closest?.('a[href]'))) return;
    event.stopImmediatePropagation();
    // Of a picture, what it is on: that stays.
    const target = event.target.closest?.(':not(svg, svg *)') ?? event.target;
    // With what a field has then: React writes its own into it when it takes it over.
    held.events.push({ event, target, value: target.value, checked: target.checked });
  };
  // Without the scripts it would leave the page, with what was typed in its address.
  const stay = (event) => held.holds && event.preventDefault();
  for (const kind of kinds) addEventListener(kind, hold, true);
  addEventListener('submit', stay, true);
  // Nor may a file that is dropped so early take the place of the page: it is dropped again.
  for (const kind of ['dragover', 'drop']) addEventListener(kind, stay, true);
  window.svcHeld = held;
})();
