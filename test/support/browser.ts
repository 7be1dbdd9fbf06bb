// Debian's Chromium, as tests start it: without what it asks of the network on its own.
import { type Browser, chromium } from 'playwright-core';

/** The last such list counts, so Playwright's own names are in it. */
const OFF = [
  // Four hundred scripts of the address bar, in a process of its own, for each window that is opened.
  'WebUIOmniboxPopup',
  'WebUIOmniboxAimPopup',
  'AimEnabled',
  'AvoidCorsURLLoaderRestartOnRedirect',
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsFirstBalancedModeAutoEnable',
  'HttpsUpgrades',
  'LensOverlay',
  'MediaRouter',
  'NetworkTimeServiceQuerying',
  'OptimizationHints',
  'PaintHolding',
  'PreconnectToSearch',
  'ThirdPartyStoragePartitioning',
];
const FLAGS = [
  `--disable-features=${OFF.join(',')}`,
  '--no-sandbox',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/**
 * How long a browser may take for what is to come, on a busy machine: as long as other waits of tests
 * (test/tiers/wait-timeouts.ts).
 */
const PATIENCE_MS = 60_000;

/** `hosts`: by origin without its scheme, where the browser connects instead. */
export async function launchBrowser({
  executablePath = '/usr/bin/chromium',
  hosts = {},
}: { executablePath?: string; hosts?: Record<string, string> } = {}): Promise<Browser> {
  const rules = Object.entries(hosts).map(([from, to]) => `MAP ${from} ${to}`);
  const browser = await chromium.launch({
    executablePath,
    args: [...FLAGS, ...(rules.length > 0 ? [`--host-resolver-rules=${rules.join(',')}`] : [])],
    timeout: PATIENCE_MS,
  });
  return browser.on('context', (context) => context.setDefaultTimeout(PATIENCE_MS));
}
