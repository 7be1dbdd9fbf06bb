// Fifty operations with every style, explode and kind of body. What a request must be is written down by
// hand, from the tables of OpenAPI 3.1.1 ("Style Examples", "Encoding Object") and RFC 6570, and not taken
// from either side.

export interface Operation {
  /** As an operation id, so that both give the skill this name. */
  name: string;
  at: string;
  parameters?: readonly object[];
  /** Of the request body: media type → schema, or media type object. */
  content?: Readonly<Record<string, object>>;
  args: Readonly<Record<string, unknown>>;
  /** For FastMCP, where it names arguments otherwise. */
  theirs?: Readonly<Record<string, unknown>>;
  /** Path and query as they must arrive. */
  url: string;
  headers?: Readonly<Record<string, string>>;
  /** A multipart body has its boundary replaced by `B`. */
  body?: string | Uint8Array;
  /** Why FastMCP sends something else, and what the specification says. */
  fastmcpDiffers?: string;
}

const array = ['blue', 'black', 'brown'];
const object = { R: 100, G: 200, B: 150 };
const strings = { type: 'array', items: { type: 'string' } };
const numbers = { type: 'object', additionalProperties: { type: 'integer' } };
const text = { type: 'string' };
type Rule = Record<string, unknown>;
const path = (name: string, schema: object, rule: Rule = {}): object => ({ name, in: 'path', required: true, schema, ...rule });
const query = (name: string, schema: object, rule: Rule = {}): object => ({ name, in: 'query', schema, ...rule });
const header = (name: string, schema: object, rule: Rule = {}): object => ({ name, in: 'header', schema, ...rule });
const cookie = (name: string, schema: object, rule: Rule = {}): object => ({ name, in: 'cookie', schema, ...rule });
const members = (properties: object, required: string[] = []): object => ({ type: 'object', properties, required });
const part = (name: string, value: string, type = '', file = ''): string =>
  `--B\r\nContent-Disposition: form-data; name="${name}"${file && `; filename="${file}"`}${type && `\r\nContent-Type: ${type}`}\r\n\r\n${value}\r\n`;
const form = 'application/x-www-form-urlencoded';
const json = { 'content-type': 'application/json' };
const STYLES = 'knows no style of path parameters but simple';

const inPath: Operation[] = [
  { name: 'path_simple_text', at: 'GET /p/{color}', parameters: [path('color', text)], args: { color: 'blue' }, url: '/p/blue' },
  { name: 'path_simple_array', at: 'GET /p/{color}', parameters: [path('color', strings)], args: { color: array }, url: '/p/blue,black,brown' },
  { name: 'path_simple_object', at: 'GET /p/{color}', parameters: [path('color', numbers)], args: { color: object }, url: '/p/R,100,G,200,B,150' },
  { name: 'path_simple_object_exploded', at: 'GET /p/{color}', parameters: [path('color', numbers, { explode: true })], args: { color: object }, url: '/p/R=100,G=200,B=150' },
  { name: 'path_label_array', at: 'GET /p/{color}', parameters: [path('color', strings, { style: 'label' })], args: { color: array }, url: '/p/.blue,black,brown', fastmcpDiffers: STYLES },
  { name: 'path_label_object_exploded', at: 'GET /p/{color}', parameters: [path('color', numbers, { style: 'label', explode: true })], args: { color: object }, url: '/p/.R=100.G=200.B=150', fastmcpDiffers: STYLES },
  { name: 'path_matrix_empty', at: 'GET /p/{color}/x', parameters: [path('color', text, { style: 'matrix' })], args: { color: '' }, url: '/p/;color/x', fastmcpDiffers: STYLES },
  { name: 'path_matrix_array', at: 'GET /p/{color}', parameters: [path('color', strings, { style: 'matrix' })], args: { color: array }, url: '/p/;color=blue,black,brown', fastmcpDiffers: STYLES },
  { name: 'path_matrix_array_exploded', at: 'GET /p/{color}', parameters: [path('color', strings, { style: 'matrix', explode: true })], args: { color: array }, url: '/p/;color=blue;color=black;color=brown', fastmcpDiffers: STYLES },
  { name: 'path_matrix_object_exploded', at: 'GET /p/{color}', parameters: [path('color', numbers, { style: 'matrix', explode: true })], args: { color: object }, url: '/p/;R=100;G=200;B=150', fastmcpDiffers: STYLES },
  { name: 'path_reserved', at: 'GET /p/{id}/x', parameters: [path('id', text)], args: { id: 'a/b?c#d%e ü,;' }, url: '/p/a%2Fb%3Fc%23d%25e%20%C3%BC%2C%3B/x' },
  { name: 'path_two_in_a_segment', at: 'GET /p/{owner}-{repo}:run', parameters: [path('owner', text), path('repo', { type: 'integer' })], args: { owner: 'ada', repo: 7 }, url: '/p/ada-7:run' },
  { name: 'path_dot', at: 'GET /p/{version}', parameters: [path('version', text)], args: { version: 'v1.2' }, url: '/p/v1.2', fastmcpDiffers: 'encodes the dot, which is unreserved: RFC 3986 2.3 says that it should not be' },
]; // prettier-ignore

const inQuery: Operation[] = [
  { name: 'query_form_text', at: 'GET /q', parameters: [query('color', text)], args: { color: 'blue' }, url: '/q?color=blue' },
  { name: 'query_form_empty', at: 'GET /q', parameters: [query('color', text)], args: { color: '' }, url: '/q?color=' },
  { name: 'query_form_array', at: 'GET /q', parameters: [query('color', strings)], args: { color: array }, url: '/q?color=blue&color=black&color=brown' },
  { name: 'query_form_array_joined', at: 'GET /q', parameters: [query('color', strings, { explode: false })], args: { color: array }, url: '/q?color=blue,black,brown', fastmcpDiffers: 'encodes the commas between items, so that ["a,b"] and ["a","b"] are one: RFC 6570 keeps them' },
  { name: 'query_form_object', at: 'GET /q', parameters: [query('color', numbers)], args: { color: object }, url: '/q?R=100&G=200&B=150' },
  { name: 'query_form_object_joined', at: 'GET /q', parameters: [query('color', numbers, { explode: false })], args: { color: object }, url: '/q?color=R,100,G,200,B,150', fastmcpDiffers: 'encodes the commas between items' },
  { name: 'query_spaces', at: 'GET /q', parameters: [query('color', strings, { style: 'spaceDelimited', explode: false })], args: { color: array }, url: '/q?color=blue%20black%20brown', fastmcpDiffers: 'writes a space as +, which is a plus in a URL: the table says %20' },
  { name: 'query_pipes', at: 'GET /q', parameters: [query('color', strings, { style: 'pipeDelimited', explode: false })], args: { color: array }, url: '/q?color=blue%7Cblack%7Cbrown' },
  { name: 'query_deep_object', at: 'GET /q', parameters: [query('color', numbers, { style: 'deepObject', explode: true })], args: { color: object }, url: '/q?color%5BR%5D=100&color%5BG%5D=200&color%5BB%5D=150' },
  { name: 'query_numbers_and_booleans', at: 'GET /q', parameters: [query('n', { type: 'number' }), query('i', { type: 'integer' }), query('b', { type: 'boolean' })], args: { n: 1.5, i: 12_345_678_901, b: true }, url: '/q?n=1.5&i=12345678901&b=true' },
  { name: 'query_encoded', at: 'GET /q', parameters: [query('t', text)], args: { t: 'a&b=c+d/ü?' }, url: '/q?t=a%26b%3Dc%2Bd%2F%C3%BC%3F' },
  { name: 'query_reserved', at: 'GET /q', parameters: [query('t', text, { allowReserved: true })], args: { t: 'a/b:c?d%20e' }, url: '/q?t=a/b:c?d%20e', fastmcpDiffers: 'does not know allowReserved' },
  { name: 'query_json', at: 'GET /q', parameters: [{ name: 'where', in: 'query', content: { 'application/json': { schema: { type: 'object', additionalProperties: true } } } }], args: { where: { a: [1, 2] } }, url: '/q?where=%7B%22a%22%3A%5B1%2C2%5D%7D', fastmcpDiffers: 'takes a parameter with content for one with a style' },
  { name: 'query_brackets', at: 'GET /q', parameters: [query('sort[by]', text)], args: { sort_by: 'title' }, theirs: { 'sort[by]': 'title' }, url: '/q?sort%5Bby%5D=title' },
  { name: 'query_default', at: 'GET /q', parameters: [query('limit', { type: 'integer', default: 10 }), query('page', { type: 'integer' })], args: { page: 2 }, url: '/q?page=2' },
  { name: 'query_null', at: 'GET /q', parameters: [query('a', { type: ['string', 'null'] }), query('b', text)], args: { a: null, b: 'x' }, url: '/q?b=x' },
  { name: 'query_list_empty', at: 'GET /q', parameters: [query('a', strings), query('b', text)], args: { a: [], b: 'x' }, url: '/q?b=x' },
]; // prettier-ignore

const inHeaders: Operation[] = [
  { name: 'header_array', at: 'GET /h', parameters: [header('X-Tags', strings)], args: { 'X-Tags': array }, url: '/h', headers: { 'x-tags': 'blue,black,brown' } },
  { name: 'header_object_exploded', at: 'GET /h', parameters: [header('X-Color', numbers, { explode: true })], args: { 'X-Color': object }, url: '/h', headers: { 'x-color': 'R=100,G=200,B=150' } },
  { name: 'header_json', at: 'GET /h', parameters: [{ name: 'X-Where', in: 'header', content: { 'application/json': { schema: { type: 'object', additionalProperties: true } } } }], args: { 'X-Where': { a: [1] } }, url: '/h', headers: { 'x-where': '{"a":[1]}' }, fastmcpDiffers: 'takes a parameter with content for one with a style' },
  { name: 'cookies', at: 'GET /c', parameters: [cookie('sid', text), cookie('dark', { type: 'boolean' })], args: { sid: 'abc', dark: true }, url: '/c', headers: { cookie: 'sid=abc; dark=true' } },
  { name: 'cookie_array', at: 'GET /c', parameters: [cookie('color', strings, { explode: false })], args: { color: array }, url: '/c', headers: { cookie: 'color=blue,black,brown' }, fastmcpDiffers: 'sends how Python prints a list' },
  { name: 'clash', at: 'POST /k/{id}', parameters: [path('id', text), query('id', text)], content: { 'application/json': members({ id: text }) }, args: { path_id: 'p', query_id: 'q', body_id: 'b' }, theirs: { id__path: 'p', id__query: 'q', id: 'b' }, url: '/k/p?id=q', headers: json, body: '{"id":"b"}' },
]; // prettier-ignore

const inBody: Operation[] = [
  { name: 'json_members', at: 'POST /b', content: { 'application/json': members({ name: text, tags: strings, more: { type: 'object', additionalProperties: true }, none: { type: ['string', 'null'] } }) }, args: { name: 'Zoë', tags: ['a'], more: { x: [1.5, false] }, none: null }, url: '/b', headers: json, body: '{"name":"Zoë","tags":["a"],"more":{"x":[1.5,false]},"none":null}' },
  { name: 'json_array', at: 'PUT /b', content: { 'application/json': { type: 'array', items: { type: 'integer' } } }, args: { body: [3, 1] }, url: '/b', headers: json, body: '[3,1]' },
  { name: 'json_patch', at: 'PATCH /b', content: { 'application/merge-patch+json': members({ a: { type: 'integer' } }) }, args: { a: 1 }, url: '/b', headers: { 'content-type': 'application/merge-patch+json' }, body: '{"a":1}', fastmcpDiffers: 'writes {"a": 1}: the same value with a space' },
  { name: 'json_version', at: 'POST /b', content: { 'application/vnd.shop+json;version=2': members({ a: text }) }, args: { a: 'x' }, url: '/b', headers: { 'content-type': 'application/vnd.shop+json;version=2' }, body: '{"a":"x"}', fastmcpDiffers: 'writes {"a": "x"}: the same value with a space' },
  { name: 'text_body', at: 'POST /b', content: { 'text/plain': text }, args: { body: 'Grüße\n' }, url: '/b', headers: { 'content-type': 'text/plain' }, body: 'Grüße\n' },
  { name: 'xml_body', at: 'POST /b', content: { 'application/xml': text }, args: { body: '<a>ü</a>' }, url: '/b', headers: { 'content-type': 'application/xml' }, body: '<a>ü</a>' },
  { name: 'bytes_body', at: 'PUT /b', content: { 'application/octet-stream': { type: 'string', format: 'binary' } }, args: { body: { base64: 'AP+A' } }, theirs: { body: 'AP+A' }, url: '/b', headers: { 'content-type': 'application/octet-stream' }, body: new Uint8Array([0, 255, 128]), fastmcpDiffers: 'has no way to be given bytes: it sends their base64 as text' },
  { name: 'form_members', at: 'POST /b', content: { [form]: members({ name: text, n: { type: 'integer' }, on: { type: 'boolean' }, tags: strings }) }, args: { name: 'a b&ü', n: 3, on: false, tags: ['x', 'y'] }, url: '/b', headers: { 'content-type': form }, body: 'name=a+b%26%C3%BC&n=3&on=false&tags=x&tags=y' },
  { name: 'form_object', at: 'POST /b', content: { [form]: members({ note: { type: 'object', additionalProperties: true } }) }, args: { note: { x: 1 } }, url: '/b', headers: { 'content-type': form }, body: 'note=%7B%22x%22%3A1%7D', fastmcpDiffers: 'writes {"x": 1}: the same value with a space' },
  { name: 'form_deep_object', at: 'POST /b', content: { [form]: { schema: members({ at: { type: 'object', additionalProperties: true } }), encoding: { at: { style: 'deepObject', explode: true } } } }, args: { at: { city: 'Bern', zip: 3000 } }, url: '/b', headers: { 'content-type': form }, body: 'at%5Bcity%5D=Bern&at%5Bzip%5D=3000', fastmcpDiffers: 'does not know the style of a form member' },
  { name: 'form_list_joined', at: 'POST /b', content: { [form]: { schema: members({ tags: strings }), encoding: { tags: { style: 'form', explode: false } } } }, args: { tags: ['x', 'y z'] }, url: '/b', headers: { 'content-type': form }, body: 'tags=x,y+z', fastmcpDiffers: 'does not know the style of a form member' },
  { name: 'multipart_texts', at: 'POST /b', content: { 'multipart/form-data': members({ name: text, n: { type: 'integer' }, tags: strings }) }, args: { name: 'Zoë', n: 3, tags: ['x', 'y'] }, url: '/b', headers: { 'content-type': 'multipart/form-data; boundary=B' }, body: `${part('name', 'Zoë')}${part('n', '3')}${part('tags', 'x')}${part('tags', 'y')}--B--\r\n` },
  { name: 'multipart_object', at: 'POST /b', content: { 'multipart/form-data': members({ about: { type: 'object', additionalProperties: true } }) }, args: { about: { by: 'me' } }, url: '/b', headers: { 'content-type': 'multipart/form-data; boundary=B' }, body: `${part('about', '{"by":"me"}', 'application/json')}--B--\r\n`, fastmcpDiffers: 'sends how Python prints a dict' },
  { name: 'multipart_file', at: 'POST /b', content: { 'multipart/form-data': { schema: members({ file: { type: 'string', format: 'binary' } }), encoding: { file: { contentType: 'text/csv' } } } }, args: { file: { text: 'a,b\n', filename: 'a.csv' } }, theirs: { file: 'a,b\n' }, url: '/b', headers: { 'content-type': 'multipart/form-data; boundary=B' }, body: `${part('file', 'a,b\n', 'text/csv', 'a.csv')}--B--\r\n`, fastmcpDiffers: 'sends a file as a text member, without its name and type' },
]; // prettier-ignore

export const operations: readonly Operation[] = [...inPath, ...inQuery, ...inHeaders, ...inBody];

/** Each at a path of its own, for two of the same method. */
export function documentOf(server: string): object {
  const paths = Object.fromEntries(
    operations.map(({ name, at, parameters, content }) => {
      const [method = 'GET', template = ''] = at.split(' ');
      const media = Object.entries(content ?? {}).map(([type, value]) => [type, 'schema' in value ? value : { schema: value }] as const);
      const operation = {
        operationId: name,
        ...(parameters && { parameters }),
        ...(content && { requestBody: { required: true, content: Object.fromEntries(media) } }),
        responses: { 200: { description: 'ok' } },
      };
      return [`/${name}${template}`, { [method.toLowerCase()]: operation }];
    }),
  );
  return { openapi: '3.1.1', info: { title: 'Fifty', version: '1' }, servers: [{ url: server }], paths };
}
