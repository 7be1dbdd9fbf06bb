// What the commands that talk to the control plane have in common.
import { Command, Option } from 'clipanion';
import { createApi, traceOf, type Api } from './api.ts';
import { normalizeApi, type CliContext } from './context.ts';
import { CredentialStore } from '../login/credentials.ts';
import { UsageError } from './errors.ts';
import type { EvaluationApi } from '../evaluation/client.ts';
import { Output } from './output.ts';
import { createSession, type Session } from '../login/session.ts';
import { didYouMean } from '#contract/wire/nearest.ts';

/** Of a project, where `svc test --record` keeps what models answered. */
export const MODEL_RECORDINGS = 'model-recordings';

/** What a declared command has beside what was typed. */
export interface LocalBy {
  readonly context: CliContext;
  readonly output: Output;
}

/** The same of one that talks to the control plane. */
export interface By extends LocalBy {
  readonly client: Api;
  /** Without credentials: for public routes. */
  readonly anonymous: Api;
  readonly apiUrl: string;
  readonly session: Session;
  readonly store: CredentialStore;
}

export abstract class ApiCommand extends Command<CliContext> {
  api = Option.String('--api', { description: 'address of the control plane (default: SVC_API_URL, else http://localhost:8080)' });

  org = Option.String('--org', { description: 'slug of the organization to act for (default: SVC_ORG, else yourself)' });

  protected get organization(): string | undefined {
    return this.org ?? this.context.settings.organization;
  }

  protected get apiUrl(): string {
    return this.api === undefined ? this.context.settings.apiUrl : normalizeApi(this.api);
  }

  protected get store(): CredentialStore {
    return new CredentialStore(this.context.settings.home);
  }

  protected output(json = false): Output {
    return new Output(this.context, json);
  }

  /** As the signed-in person. */
  protected client(fixedToken: string | undefined = this.context.settings.token): Api {
    return createApi(this.apiUrl, this.session(fixedToken), { trace: this.#trace(), organization: this.organization });
  }

  /** The same, for what may be left out: it gives up with the signal. */
  suggestions(signal: AbortSignal): Api {
    return createApi(this.apiUrl, this.session(), { signal, organization: this.organization });
  }

  /** One for all its requests. */
  #trace(): string {
    return (this.#traceparent ??= traceOf(this.context.env));
  }
  #traceparent: string | undefined;

  protected session(fixedToken: string | undefined = this.context.settings.token): Session {
    return createSession({ store: this.store, api: this.apiUrl, fixedToken });
  }

  /** What the platform serves of evaluations. */
  protected evaluations(): EvaluationApi {
    return this.client().evaluations;
  }

  /** Without credentials: for public routes. */
  protected anonymous(): Api {
    return createApi(this.apiUrl, undefined);
  }

  /** For a declaration of `command.ts`. */
  protected means(json: boolean): By {
    const { context, apiUrl, store } = this;
    return { context, output: this.output(json), client: this.client(), anonymous: this.anonymous(), apiUrl, session: this.session(), store };
  }
}

/** One of a few words. */
export function oneOf<const T extends string>(option: string, word: string, allowed: readonly T[]): T {
  const match = allowed.find((one) => one === word);
  if (match === undefined) throw new UsageError(`${option} must be one of ${allowed.join(', ')}, not "${word}".${didYouMean(word, allowed)}`);
  return match;
}

/** A whole number given on the command line. */
export function integer(option: string, text: string, { min, max }: { min: number; max: number }): number {
  const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (!(value >= min && value <= max)) throw new UsageError(`${option} must be a whole number from ${min} to ${max}, not "${text}".`);
  return value;
}

/** A part of a whole given on the command line. */
export function share(option: string, text: string): number {
  const value = /^\d(?:\.\d{1,6})?$/.test(text) ? Number(text) : Number.NaN;
  if (!(value >= 0 && value <= 1)) throw new UsageError(`${option} must be a share from 0 to 1, e.g. 0.9, not "${text}".`);
  return value;
}

/** `--public`, `--private`, or neither. */
export function listing(isPublic: boolean | undefined, isPrivate: boolean | undefined): boolean | undefined {
  if (isPublic && isPrivate) throw new UsageError('Choose one of --public and --private.');
  return isPublic ? true : isPrivate ? false : undefined;
}
