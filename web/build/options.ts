// How Vite builds and serves the dashboard; read by build.ts and dev.ts.
import { join } from 'node:path';
import react from '@vitejs/plugin-react';
import type { InlineConfig } from 'vite';
import { firstScript } from './first.ts';
import { documentation } from './docs.ts';
import { ownMergeRefs } from './merge-refs.ts';
import { ownFallbacks } from './own-fallbacks.ts';
import { requestSchemas } from './schemas.ts';
import { projectTemplates } from './templates.ts';
import { usedStyles } from './used-styles.ts';
import { languageNamed } from './words/language.ts';
import { inLanguage } from './words/plugin.ts';

export const WEB = join(import.meta.dirname, '..');

export const aliases = [{ find: /^#(contract|sdk|web)\//, replacement: `${join(WEB, '..')}/$1/` }];

const language = languageNamed(process.env.SVC_LANGUAGE);

export const options: InlineConfig = {
  configFile: false,
  root: WEB,
  base: '/',
  plugins: [
    inLanguage(language),
    react(),
    firstScript(),
    usedStyles(),
    ownMergeRefs(),
    ownFallbacks(),
    requestSchemas(language),
    projectTemplates(),
    documentation(),
  ],
  // Replaced by the server, once for each answer: no inline style or script runs without it.
  html: { cspNonce: 'SVC_NONCE' },
  resolve: { alias: aliases },
};
