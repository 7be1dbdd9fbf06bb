// Security schemes as setup fields of the callers, each with the place in a request that the egress proxy
// writes it to.
import type { SetupInjection } from '#contract/wire/setup-injection.ts';
import { isJsonObject, type Json, listOf, objectOf, textIn } from './document.ts';
import type { Field, Security } from './model.ts';
import { resolved } from './references.ts';

/** As the union's members are, whatever hosts they go to. */
type Place = SetupInjection extends infer I ? (I extends { hosts: unknown } ? Omit<I, 'hosts'> : never) : never;

interface Scheme {
  name: string;
  fields: Field[];
  places: string[];
}

export interface SecurityInput {
  document: Json;
  hosts: readonly string[];
  auth: string | undefined;
  warnings: Set<string>;
}

/** Names of schemes that cannot be injected are missing in `credentials`. */
export function securityOf(input: SecurityInput): Security {
  const declared = objectOf(objectOf(input.document['components'])['securitySchemes']);
  const given = input.auth === undefined ? [] : [['auth', givenScheme(input.auth)] as const];
  const schemes = [...Object.entries(declared), ...given].flatMap(([name, value]) => {
    const scheme = resolved(input.document, value);
    const read = scheme && schemeOf(name, scheme, input);
    if (!read) input.warnings.add(`The security scheme ${name.slice(0, 80)} cannot be injected: operations that need it are called without`);
    return read ? [read] : [];
  });
  return {
    fields: schemes.flatMap(({ fields }) => fields),
    credentials: Object.fromEntries(schemes.map(({ name, fields }) => [name, fields.map((field) => field.name)])),
    places: new Set(schemes.flatMap(({ places }) => places)),
  };
}

/** Requirements as OR of ANDs; those that name what cannot be injected are left out. */
export function requirements(value: unknown, security: Security): string[][] | undefined {
  if (!Array.isArray(value)) return undefined;
  const lists = value.filter(isJsonObject).map((one) => Object.keys(one));
  return lists.filter((names) => names.every((name) => Object.hasOwn(security.credentials, name)));
}

/**
 * `bearer`, `basic`, `header:X-Key`, `query:key`, `cookie:sid`: what the person says where the description
 * says nothing.
 */
function givenScheme(auth: string): Json {
  const [kind = '', name = ''] = auth.split(':');
  if (kind === 'bearer' || kind === 'basic') return { type: 'http', scheme: kind };
  return { type: 'apiKey', in: kind, name };
}

function schemeOf(name: string, scheme: Json, { hosts, warnings }: SecurityInput): Scheme | undefined {
  const id = fieldName(name);
  const description = textIn(scheme['description'])?.slice(0, 500) ?? '';
  const field = (suffix: string, title: string, place: Place): Field => ({
    name: suffix === '' ? id : `${id.slice(0, 63 - suffix.length)}_${suffix}`,
    kind: 'secret',
    title,
    ...(description !== '' && { description }),
    inject: { ...place, hosts: [...hosts] },
  });
  switch (String(scheme['type']).toLowerCase()) {
    case 'apikey':
      return apiKey(name, scheme, field);
    case 'http': {
      const kind = String(scheme['scheme']).toLowerCase();
      if (kind === 'bearer')
        return { name, places: ['header authorization'], fields: [field('', 'Bearer token', { as: 'header', name: 'authorization', scheme: 'Bearer' })] };
      if (kind !== 'basic') return undefined;
      const both = [field('username', 'User name', { as: 'basic_username' }), field('password', 'Password', { as: 'basic_password' })];
      return { name, places: ['header authorization'], fields: both };
    }
    case 'oauth2':
      return oauth2(name, scheme, field, warnings);
    case 'openidconnect':
      return { name, places: ['header authorization'], fields: [field('token', 'Access token', { as: 'header', name: 'authorization', scheme: 'Bearer' })] };
    case 'mutualtls': {
      const both = [field('certificate', 'Client certificate (PEM)', { as: 'tls_certificate' }), field('key', 'Private key (PEM)', { as: 'tls_key' })];
      return { name, places: [], fields: both };
    }
    default:
      return undefined;
  }
}

type MakeField = (suffix: string, title: string, place: Place) => Field;

function apiKey(name: string, scheme: Json, field: MakeField): Scheme | undefined {
  const key = textIn(scheme['name']);
  const place = String(scheme['in']).toLowerCase();
  if (key === undefined) return undefined;
  const places = [`${place} ${place === 'header' ? key.toLowerCase() : key}`];
  if (place === 'header' && /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,128}$/.test(key) && !/^(?:host|connection|content-length|transfer-encoding)$/i.test(key))
    return { name, places, fields: [field('', `Key for the header ${key}`, { as: 'header', name: key })] };
  if (place === 'query' && key.length <= 128) return { name, places, fields: [field('', `Key for the query parameter ${key}`, { as: 'query', name: key })] };
  if (place === 'cookie' && /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,128}$/.test(key))
    return { name, places, fields: [field('', `Value of the cookie ${key}`, { as: 'cookie', name: key })] };
  return undefined;
}

/** The proxy fetches tokens by client credentials; for the other flows the caller brings one. */
function oauth2(name: string, scheme: Json, field: MakeField, warnings: Set<string>): Scheme {
  const flows = objectOf(scheme['flows']);
  const client = objectOf(flows['clientCredentials']);
  const tokenUrl = textIn(client['tokenUrl']);
  const places = ['header authorization'];
  if (tokenUrl !== undefined && /^https:\/\/[^\s/?#@]+(?:[/?][^\s#]*)?$/.test(tokenUrl) && tokenUrl.length <= 2_000) {
    const scope = Object.keys(objectOf(client['scopes'])).join(' ');
    const at = { token_url: tokenUrl, ...(scope !== '' && scope.length <= 500 && { scope }) };
    return {
      name,
      places,
      fields: [
        field('client_id', 'Client id', { as: 'oauth2_client_id', ...at }),
        field('client_secret', 'Client secret', { as: 'oauth2_client_secret', ...at }),
      ],
    };
  }
  const kinds = listOf(Object.keys(flows)).join(', ') || 'no flow';
  warnings.add(`${name.slice(0, 80)}: of OAuth 2 (${kinds}) the platform runs client credentials only; callers set an access token that they have`);
  return { name, places, fields: [field('token', 'Access token', { as: 'header', name: 'authorization', scheme: 'Bearer' })] };
}

/** A letter, then letters, digits and _. */
export function fieldName(name: string): string {
  const plain = name
    .replaceAll(/[^A-Za-z0-9]+/g, '_')
    .replaceAll(/^_+|_+$/g, '')
    .slice(0, 40);
  return /^[A-Za-z]/.test(plain) ? plain : `credential_${plain}`.replace(/_+$/, '');
}
