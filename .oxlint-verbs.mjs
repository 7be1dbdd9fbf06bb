// Rules of our own for core: a verb that opens a transaction asks who may (core/kernel/policy.ts) and leaves
// an audit row (core/kernel/audit.ts), or says in a comment why not: `// no may: …`, `// no audit: …`. What
// it calls in the same file counts as its own.
const opens = new Set(['inTx', 'queuedTx']);
const asks = new Set([
  'agentFor',
  'ensureRun',
  'may',
  'mayCall',
  'organizationFor',
  'requireOperator',
  'requireRun',
  'requireByOperators',
  'requireUser',
  'rowsThatMay',
  'scimOrganization',
  'whereMay',
  'whereMayOrNone',
]);
const action = /^[a-z_]+\.[a-z_]+$/;

const verbs = {
  create(context) {
    const functions = new Map();
    return {
      Program(program) {
        for (const statement of program.body) {
          const declared = statement.type.startsWith('Export') ? statement.declaration : statement;
          if (declared?.type === 'FunctionDeclaration' && declared.id) functions.set(declared.id.name, blank(declared.id.name, statement));
          if (declared?.type === 'VariableDeclaration')
            for (const { id, init } of declared.declarations) if (id.type === 'Identifier' && init) functions.set(id.name, blank(id.name, statement));
        }
      },
      CallExpression(node) {
        const [from] = node.range;
        const current = [...functions.values()].find(({ node: { range } }) => range[0] <= from && from < range[1]);
        if (!current) return;
        const name = node.callee.type === 'Identifier' ? node.callee.name : undefined;
        if (opens.has(name)) current.opens = node;
        if (name === 'audit') current.audits = true;
        else if (asks.has(name) || node.arguments.some(({ type, value }) => type === 'Literal' && typeof value === 'string' && action.test(value)))
          current.asks = true;
        if (name !== undefined) current.uses.add(name);
      },
      'Program:exit'() {
        const comments = context.sourceCode.getAllComments();
        for (const verb of functions.values()) {
          if (!verb.opens) continue;
          const all = reached(verb, functions);
          const said = (word) => comments.some(({ value, range }) => value.trim().startsWith(`no ${word}: `) && within(range, verb.node));
          if (!all.some((one) => one.asks) && !said('may'))
            context.report({
              node: verb.opens,
              message: `${verb.name} changes something and does not ask who may: ask kernel/policy.ts, or say "// no may: why"`,
            });
          if (!all.some((one) => one.audits) && !said('audit'))
            context.report({ node: verb.opens, message: `${verb.name} changes something and leaves no audit row: call audit, or say "// no audit: why"` });
        }
      },
    };
  },
};

function blank(name, node) {
  return { name, node, opens: undefined, asks: false, audits: false, uses: new Set() };
}

function reached(verb, functions) {
  const all = new Set([verb]);
  for (const one of all) for (const name of one.uses) if (functions.has(name)) all.add(functions.get(name));
  return [...all];
}

function within([from, to], { range }) {
  return range[0] <= from && to <= range[1];
}

const plugin = { meta: { name: 'svc' }, rules: { verbs } };
// oxlint takes a plugin as the default export.
export default plugin;
