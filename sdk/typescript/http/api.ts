// An HTTP API as skills: one skill for each operation, or three skills over all of them where there are too
// many.
import { readFileSync } from 'node:fs';
import type { z } from 'zod';
import { issuesOf } from '../../../contract/wire/arguments.ts';
import { type HttpOperation, isReadOnly } from '../../../contract/wire/http-operation.ts';
import type { RunContext } from '../authoring/context.ts';
import { SkillInputError } from '../authoring/errors.ts';
import { type JsonSchema, modelOfSchema } from '../authoring/schema.ts';
import { type Skill, skill } from '../authoring/skill.ts';
import { approve } from './approve.ts';
import { Catalog, type CatalogFile, type ListedOperation } from './catalog.ts';
import { callOperation, type ApiServer, type CallParts } from './call.ts';
import { withDefinitions } from './schemas.ts';

export interface HttpApiOptions extends ApiServer {
  /** Definitions that schemas of arguments refer to, as `#/$defs/<name>`. */
  schemas?: Readonly<Record<string, JsonSchema>>;
  /** The same for results. */
  results?: Readonly<Record<string, JsonSchema>>;
  /**
   * A JSON file with all operations, where they are searched instead of listed: `new URL('./operations.json',
   * import.meta.url)`.
   */
  operations?: URL;
  /** Seconds that one call may take; default 60. */
  timeoutSeconds?: number;
}

export interface OperationDeclaration extends HttpOperation {
  /** Of the skill; default: the field's name. */
  name?: string;
  description?: string;
  tags?: readonly string[];
  input?: JsonSchema;
  output?: JsonSchema;
  /** A person is asked before it is sent; default: only for DELETE. */
  approval?: boolean;
}

type AnySkill = Skill<z.ZodObject<Record<string, z.ZodUnknown>>, z.ZodUnknown>;

const NONE: JsonSchema = { type: 'object', properties: {} };

export class HttpApi {
  readonly #options: HttpApiOptions;
  #catalog: Catalog | undefined;

  constructor(options: HttpApiOptions) {
    this.#options = options;
  }

  /** The operation as a skill of its own. */
  operation(declaration: OperationDeclaration): AnySkill {
    const { name, description, tags, input = NONE, output, approval, ...operation } = declaration;
    const { schemas = {}, results = {}, timeoutSeconds = 60 } = this.#options;
    const method = operation.at.split(' ')[0] ?? 'GET';
    const readOnly = isReadOnly(method);
    return asSkill(
      {
        ...(name !== undefined && { name }),
        description: description ?? operation.at,
        tags: tags ?? [],
        timeoutSeconds,
        readOnly,
        idempotent: readOnly,
        ...(method === 'DELETE' && { destructive: true }),
        inputSchema: withDefinitions(input, schemas),
        ...(output && { outputSchema: withDefinitions(output, results) }),
      },
      async (ctx, args) => this.#call(ctx, operation, args, approval),
    );
  }

  /** Finds operations by words. */
  search(description: string): AnySkill {
    const inputSchema = {
      type: 'object',
      properties: {
        query: { type: 'string', description: 'Words of what you want to do. Empty: all, by name.' },
        tag: { type: 'string', description: 'Only operations of this group.' },
        limit: { type: 'integer', minimum: 1, maximum: 50, default: 10 },
      },
      required: [],
    };
    return asSkill({ description, readOnly: true, idempotent: true, inputSchema }, async (_ctx, args) => this.#listed().search(args));
  }

  /** One operation's arguments and result. */
  describe(description: string): AnySkill {
    const inputSchema = { type: 'object', properties: { operation: { type: 'string', description: 'A name that the search gave.' } }, required: ['operation'] };
    return asSkill({ description, readOnly: true, idempotent: true, inputSchema }, async (_ctx, { operation }) => {
      const listedOperation = this.#listed().get(String(operation));
      return { ...this.#listed().summary(listedOperation), input_schema: this.#inputOf(listedOperation), output_schema: this.#outputOf(listedOperation) };
    });
  }

  /** Calls one operation by name. */
  call(description: string): AnySkill {
    const inputSchema = {
      type: 'object',
      properties: {
        operation: { type: 'string', description: 'A name that the search gave.' },
        arguments: { type: 'object', description: 'As its input_schema has them.', additionalProperties: true, default: {} },
      },
      required: ['operation'],
    };
    const { timeoutSeconds = 60 } = this.#options;
    return asSkill({ description, timeoutSeconds, inputSchema }, async (ctx, given) => {
      const listedOperation = this.#listed().get(String(given['operation']));
      const args = isArguments(given['arguments']) ? given['arguments'] : {};
      const checked = modelOfSchema(this.#inputOf(listedOperation)).strict().safeParse(args);
      if (!checked.success) throw new SkillInputError(`The arguments of ${listedOperation.name} do not fit`, issuesOf(checked.error.issues));
      return this.#call(ctx, listedOperation, checked.data, undefined);
    });
  }

  async #call(ctx: RunContext, operation: HttpOperation, args: Readonly<Record<string, unknown>>, approval: boolean | undefined): Promise<unknown> {
    if (approval ?? operation.at.startsWith('DELETE ')) await approve(ctx, operation, args);
    const parts: CallParts = { ctx, api: this.#options, operation };
    return callOperation(parts, args);
  }

  #inputOf({ input = NONE }: ListedOperation): JsonSchema {
    return withDefinitions(input, this.#listed().schemas);
  }
  #outputOf({ output = {} }: ListedOperation): JsonSchema {
    return withDefinitions(output, this.#listed().results);
  }
  /** Read when it is first needed. */
  #listed(): Catalog {
    const { operations } = this.#options;
    if (!operations) throw new Error('give HttpApi the file of its operations');
    return (this.#catalog ??= new Catalog(catalogIn(readFileSync(operations, 'utf8'))));
  }
}

// Safe: the file is written with the agent; what it says wrong shows at the call.
function catalogIn(text: string): CatalogFile {
  return JSON.parse(text) as CatalogFile;
}

function isArguments(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

type Handler = (ctx: RunContext, args: Readonly<Record<string, unknown>>) => Promise<unknown>;

// Safe: its arguments are typed by a JSON Schema, which TypeScript does not read; callers of the field in
// TypeScript give an object.
function asSkill(declaration: object, handler: Handler): AnySkill {
  return skill(declaration, async (ctx: RunContext, args) => handler(ctx, args)) as AnySkill;
}
