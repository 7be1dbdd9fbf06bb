// What a description becomes, before it is written down as source.
import type { HttpOperation } from '#contract/wire/http-operation.ts';
import type { SetupField } from '#contract/wire/card.ts';
import type { z } from 'zod';

export type OpenApiSchema = Record<string, unknown>;
export type Field = z.input<typeof SetupField>;

export interface PlannedOperation {
  name: string;
  method: string;
  path: string;
  tags: readonly string[];
  description: string;
  call: HttpOperation;
  input: OpenApiSchema;
  /** Absent: nothing is known of the result. */
  output: OpenApiSchema | undefined;
  /** Of the input schema with all it refers to, as JSON. */
  inputBytes: number;
  outputBytes: number;
}

export interface Server {
  /** Without a slash at its end; undefined where the description names none that can be used. */
  url: string | undefined;
  /** Setup fields of its variables. */
  fields: readonly Field[];
  variables: Readonly<Record<string, readonly string[]>>;
  /** Names, or `*.suffix`. */
  allowHosts: readonly string[];
  /** With `{field}`, for what is injected. */
  injectHosts: readonly string[];
}

export interface Security {
  fields: readonly Field[];
  /** Scheme → setup fields. */
  credentials: Readonly<Record<string, readonly string[]>>;
  /** Places that hold a credential: no argument may. */
  places: ReadonlySet<string>;
}

export type Mode = 'each' | 'search';

export interface Plan {
  title: string;
  apiVersion: string;
  description: string;
  dialect: string;
  mode: Mode;
  server: Server;
  security: Security;
  defaultSecurity: readonly (readonly string[])[];
  /** With a skill of their own. */
  skills: readonly PlannedOperation[];
  /** All that were chosen; in search mode they are in the file of operations. */
  operations: readonly PlannedOperation[];
  schemas: Readonly<Record<string, unknown>>;
  results: Readonly<Record<string, unknown>>;
  /** Of the description, chosen or not. */
  total: number;
  warnings: readonly string[];
}

export interface Options {
  name: string | undefined;
  description: string | undefined;
  baseUrl: string | undefined;
  /** Where the description came from; relative servers are below it. */
  sourceUrl: string | undefined;
  include: OperationFilter;
  pins: OperationFilter;
  mode: 'auto' | Mode;
  auth: string | undefined;
}

/** Operations by any of these; empty: none named. */
export interface OperationFilter {
  tags: readonly string[];
  methods: readonly string[];
  /** Regular expression over `GET /path name`. */
  match: string | undefined;
  names: readonly string[];
}
