// Plain JavaScript for the browser: no inline scripts, so that the content security policy can forbid them.

// The theme that was chosen in the dashboard; without a choice that of the system.
const dark = window.matchMedia('(prefers-color-scheme: dark)');
const showTheme = () => {
  const chosen = window.localStorage.getItem('mantine-color-scheme-value');
  const isDark = chosen === 'dark' || (chosen !== 'light' && dark.matches);
  document.documentElement.classList.toggle('dark-mode', isDark);
  document.documentElement.style.colorScheme = isDark ? 'dark' : 'light';
};
showTheme();
dark.addEventListener('change', showTheme);

// Samples of a request that was tried, beside those for curl.
const inJavaScript = (request) => {
  const { url, method, headers, body } = parts(request);
  const more = [`method: '${method}'`, `headers: ${JSON.stringify(headers)}`, ...(body === undefined ? [] : [`body: ${JSON.stringify(body)}`])];
  return `const answer = await fetch(${JSON.stringify(url)}, {\n  ${more.join(',\n  ')},\n});\nconsole.log(answer.status, await answer.text());`;
};
const inPython = (request) => {
  const { url, method, headers, body } = parts(request);
  const data = body === undefined ? '' : `\n    data=${JSON.stringify(body)}.encode(),`;
  return `import urllib.request

request = urllib.request.Request(
    ${JSON.stringify(url)},
    method="${method}",
    headers=${JSON.stringify(headers)},${data}
)
with urllib.request.urlopen(request) as answer:
    print(answer.status, answer.read().decode())`;
};
function parts(request) {
  const { url, method, headers = {}, body } = request.toJS();
  return { url, method: method.toUpperCase(), headers, body: typeof body === 'object' ? JSON.stringify(body) : body };
}

// The viewer's own way reads the whole document for each operation that is opened: seconds. Our document
// refers only to itself, by `#/…`.
const atPath = (value, path) => path.reduce((inner, key) => inner?.[key], value);
const inlined = (value, whole, open = []) => {
  if (Array.isArray(value)) return value.map((one) => inlined(one, whole, open));
  if (value === null || typeof value !== 'object') return value;
  const { $ref: ref, ...rest } = value;
  if (typeof ref !== 'string' || !ref.startsWith('#/')) return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, inlined(one, whole, open)]));
  // What contains itself stays a reference there.
  if (open.includes(ref)) return value;
  const keys = ref
    .slice(2)
    .split('/')
    .map((key) => decodeURIComponent(key).replaceAll('~1', '/').replaceAll('~0', '~'));
  return inlined({ ...atPath(whole, keys), ...rest }, whole, [...open, ref]);
};
const resolveSubtree = async (whole, path) => ({ spec: inlined(atPath(whole, path), whole), errors: [] });

window.SwaggerUIBundle({
  url: '/v1/openapi.json',
  dom_id: '#reference',
  deepLinking: true,
  docExpansion: 'list',
  defaultModelsExpandDepth: 0,
  defaultModelRendering: 'model',
  displayRequestDuration: true,
  filter: true,
  operationsSorter: null,
  persistAuthorization: false,
  showExtensions: true,
  tryItOutEnabled: false,
  validatorUrl: null,
  requestSnippetsEnabled: true,
  requestSnippets: {
    generators: {
      curl_bash: { title: 'curl', syntax: 'bash' },
      javascript: { title: 'JavaScript', syntax: 'javascript' },
      python: { title: 'Python', syntax: 'python' },
    },
  },
  plugins: [{ fn: { resolveSubtree, requestSnippetGenerator_javascript: inJavaScript, requestSnippetGenerator_python: inPython } }],
});
