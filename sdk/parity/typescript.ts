// The public API of the TypeScript SDK, by the compiler: exports of index.ts and testing.ts, their members,
// and the options calls take.
import { join } from 'node:path';
import { API, SignatureKind, SymbolFlags, TypeFlags, type Checker, type Symbol, type Type } from 'typescript/unstable/sync';
import { snakeCase, type Api, type Member } from './api.ts';

const CONFIG = join(import.meta.dirname, 'tsconfig.json');
const ENTRIES = ['index.ts', 'testing.ts'].map((name) => join(import.meta.dirname, '../typescript', name));
/** Types of which a call takes the members by name: in Python they are parameters. */
const BAG = /^Partial<|Options$|Query$|^(?:OpenView|Delegation|ScopeRequest|MemoryPut|SkillDeclaration|MintGrant)$/;

export function typescriptApi(): Api {
  const compiler = new API();
  try {
    const project = compiler.updateSnapshot({ openProject: CONFIG }).getProject(CONFIG);
    if (!project) throw new Error(`${CONFIG} names no project`);
    const api = new Map<string, Map<string, Member>>();
    const exported = ENTRIES.flatMap((file) => {
      const source = project.program.getSourceFile(file);
      const module = source && project.checker.getSymbolAtLocation(source);
      if (!module) throw new Error(`${file} exports nothing`);
      return project.checker
        .getExportsOfModule(module)
        .map((symbol) => resolved(project.checker, symbol))
        .filter(({ name }) => /^\w+$/.test(name));
    });
    for (const symbol of exported) api.set(symbol.name, membersOf(project.checker, symbol));
    return api;
  } finally {
    compiler.close();
  }
}

const resolved = (checker: Checker, symbol: Symbol): Symbol => (symbol.flags & SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol);

function membersOf(checker: Checker, symbol: Symbol): Map<string, Member> {
  const members = new Map<string, Member>();
  if (symbol.flags & SymbolFlags.Function) {
    const type = checker.getTypeOfSymbol(symbol);
    return type ? members.set('()', memberOf(checker, type)) : members;
  }
  // A constant of a type's name: what it can be made by.
  const maker = symbol.flags & SymbolFlags.Variable ? checker.getTypeOfSymbol(symbol) : undefined;
  const made =
    maker && symbol.flags & (SymbolFlags.TypeAlias | SymbolFlags.Interface) && !checker.getPropertyOfType(maker, '_zod')
      ? checker.getPropertiesOfType(maker)
      : [];
  for (const property of made) {
    const declared = checker.getTypeOfSymbol(property);
    if (declared) members.set(snakeCase(property.name), memberOf(checker, declared));
  }
  if (!(symbol.flags & (SymbolFlags.Class | SymbolFlags.Interface | SymbolFlags.TypeAlias))) return members;
  const type = checker.getDeclaredTypeOfSymbol(symbol);
  // Of a union or a text no member is ours.
  if (!(type.flags & TypeFlags.Object)) return members;
  for (const property of checker.getPropertiesOfType(type)) {
    if (/^[#_]/.test(property.name) || (ofErrors.has(property.name) && symbol.flags & SymbolFlags.Class && isError(checker, type))) continue;
    const declared = checker.getTypeOfSymbol(property);
    if (declared) members.set(snakeCase(property.name), memberOf(checker, declared));
  }
  return members;
}

const ofErrors = new Set(['name', 'message', 'stack', 'cause']);
const isError = (checker: Checker, type: Type): boolean => ['stack', 'message'].every((name) => checker.getPropertyOfType(type, name) !== undefined);

function memberOf(checker: Checker, type: Type): Member {
  const [signature] = checker.getSignaturesOfType(type, SignatureKind.Call);
  if (!signature) return { parameters: null, asynchronous: false };
  const parameters = signature.getParameters().flatMap((parameter) => parametersOf(checker, parameter));
  const answer = checker.getReturnTypeOfSignature(signature);
  return { parameters, asynchronous: answer !== undefined && checker.typeToString(answer).startsWith('Promise<') };
}

function parametersOf(checker: Checker, parameter: Symbol): string[] {
  const declared = checker.getTypeOfSymbol(parameter);
  const type = declared && (checker.getNonNullableType(declared) ?? declared);
  const text = type ? checker.typeToString(type) : '';
  const isOptions = BAG.test(text) || (text.startsWith('{') && /^(?:options|done|__\d)$/.test(parameter.name));
  return type && isOptions ? checker.getPropertiesOfType(type).map(({ name }) => snakeCase(name)) : [snakeCase(parameter.name)];
}
