// The API as api/main.ts starts it, but callers may ask as often as they like.
import type { Limiter } from '#contract/kit.ts';
import { readEnvironment } from '#api/environment.ts';
import { createLogger } from '#api/http/log.ts';
import type { Budget } from '#api/http/rate-limit.ts';
import { giveUpRequest } from '#api/http/request-scope.ts';
import { startApi } from '#api/start.ts';
import { keepRunning } from '#drivers/log/uncaught.ts';

const many: Budget = { points: 1e9, seconds: 60 };
const budgets: Record<Limiter, Budget> = { auth: many, check: many, code: many, create: many, deploy: many };

const log = createLogger('info');
await startApi(readEnvironment(process.env), log, { budgets });
keepRunning(log, giveUpRequest);
log.info('ready');
