// Debian's Chromium, as tests start it: without what it asks of the network by itself.
import { type Browser, chromium } from 'playwright-core';

const FLAGS = ['--no-sandbox', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'];

export function launchBrowser(executablePath = '/usr/bin/chromium'): Promise<Browser> {
  return chromium.launch({ executablePath, args: FLAGS });
}
