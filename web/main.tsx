import { createRoot, hydrateRoot } from 'react-dom/client';
import { actsFor } from './api/organization.ts';
import { takeOrganization } from './session/act-for.ts';
import { App } from './shell/app.tsx';
import { replayEvents } from './shell/replay-events.ts';
import { answerFirst, createDashboardRouter, preloadPage } from './shell/router.tsx';
import { takeRendered } from './shell/rendered.ts';
import { styleNonce } from './kit/nonce.ts';

// Where the library that keeps the page still behind a dialog looks for it.
Object.assign(globalThis, { __webpack_nonce__: styleNonce() });
takeOrganization();
const place = document.getElementById('root');
if (!place) throw new Error('index.html has no element with the id root');
// A server knows who visits, not for whom the tab acts.
const isRendered = takeRendered(actsFor() === undefined);
document.documentElement.removeAttribute('data-acts-for');
const router = createDashboardRouter();
const app = <App router={router} nonce={styleNonce} />;
if (isRendered) {
  // As the server made it: without a placeholder around the page.
  router.ssr = { manifest: undefined };
  await router.load();
  hydrateRoot(place, app);
} else {
  preloadPage(router);
  createRoot(place).render(app);
}
answerFirst(router);
void replayEvents(place);
