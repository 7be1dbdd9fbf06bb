// Takes the place of a part of the MCP server package that picks a JSON Schema validator (one that compiles
// code at run time). Arguments and results are checked by zod here, so asking for that validator would be a
// mistake of ours: it says so.
import process from 'node:process';

class DefaultJsonSchemaValidator {
  getValidator(): never {
    throw new Error('no JSON Schema validator is bundled: schemas are checked by the runtime');
  }
}

export { DefaultJsonSchemaValidator, process };
