// Headers that keep browsers from helping an attacker. No CORS: other origins may not read what we answer.
import helmet from 'koa-helmet';
import type { HttpMiddleware } from './state.ts';

/** `https` as people reach the platform: only then may browsers insist on it. */
export function securityHeaders({ https }: { https: boolean }): HttpMiddleware {
  return helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        'default-src': ["'self'"],
        'script-src': ["'self'"],
        // The API reference's viewer styles its elements in place.
        'style-src': ["'self'", "'unsafe-inline'"],
        'img-src': ["'self'", 'data:'],
        'object-src': ["'none'"],
        'base-uri': ["'none'"],
        'frame-ancestors': ["'none'"],
      },
    },
    strictTransportSecurity: https,
    crossOriginEmbedderPolicy: false,
    xFrameOptions: { action: 'deny' },
    referrerPolicy: { policy: 'no-referrer' },
  });
}
