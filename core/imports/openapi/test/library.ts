// A description that we wrote: every kind of parameter, body and credential, and what trips naive readers.
export const library = {
  openapi: '3.0.3',
  info: { title: 'Library */ of "everything"', version: '1.2.0', description: 'Lends\nthings.' },
  servers: [{ url: 'https://api.library.test/v1' }],
  security: [{ key: [] }, { user: [], pin: [] }, {}],
  paths: {
    '/books/{id}': {
      parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'integer', format: 'int64' } }],
      get: {
        operationId: 'getBook',
        summary: 'One book',
        tags: ['books'],
        parameters: [
          { name: 'id', in: 'query', schema: { type: 'string' } },
          { name: 'X-Key', in: 'header', schema: { type: 'string' } },
          { name: 'X-Trace', in: 'header', schema: { type: 'array', items: { type: 'string' } } },
          { name: 'theme', in: 'cookie', schema: { type: 'string' } },
        ],
        responses: { 200: { description: 'ok', content: { 'application/json': { schema: { $ref: '#/components/schemas/Book' } } } } },
      },
      delete: { operationId: 'deleteBook', security: [], responses: { 204: { description: 'gone' } } },
    },
    '/books': {
      get: {
        operationId: 'books/list',
        parameters: [
          {
            name: 'filter',
            in: 'query',
            style: 'deepObject',
            explode: true,
            schema: { type: 'object', properties: { author: { type: 'string' }, year: { type: 'integer' } } },
          },
          { name: 'tags', in: 'query', schema: { type: 'array', items: { type: 'string' } } },
          { name: 'ids', in: 'query', explode: false, schema: { type: 'array', items: { type: 'integer' } } },
          { name: 'pipes', in: 'query', style: 'pipeDelimited', explode: false, schema: { type: 'array', items: { type: 'string' } } },
          { name: 'spaces', in: 'query', style: 'spaceDelimited', explode: false, schema: { type: 'array', items: { type: 'string' } } },
          { name: 'where', in: 'query', content: { 'application/json': { schema: { type: 'object' } } } },
          { name: 'path', in: 'query', allowReserved: true, schema: { type: 'string' } },
          { name: 'sort[by]', in: 'query', schema: { type: 'string' } },
          { name: 'cursor', in: 'query', schema: { type: 'string' } },
        ],
        responses: {
          200: {
            description: 'ok',
            content: {
              'application/json': {
                schema: {
                  type: 'object',
                  required: ['items'],
                  properties: { items: { type: 'array', items: { $ref: '#/components/schemas/Book' } }, next_cursor: { type: 'string' } },
                },
              },
            },
          },
        },
      },
      post: {
        operationId: 'create-book',
        requestBody: { required: true, content: { 'application/json': { schema: { $ref: '#/components/schemas/NewBook' } } } },
        responses: { 201: { description: 'made', content: { 'application/json': { schema: { $ref: '#/components/schemas/Book' } } } } },
      },
    },
    '/shelves/{label}/{matrix}/{list}': {
      get: {
        parameters: [
          { name: 'label', in: 'path', required: true, style: 'label', explode: true, schema: { type: 'array', items: { type: 'string' } } },
          { name: 'matrix', in: 'path', required: true, style: 'matrix', explode: true, schema: { type: 'object', additionalProperties: { type: 'string' } } },
          { name: 'list', in: 'path', required: true, schema: { type: 'array', items: { type: 'string' } } },
        ],
        responses: { 200: { description: 'ok' } },
      },
    },
    '/orders': {
      post: {
        operationId: 'health',
        requestBody: {
          content: {
            'application/x-www-form-urlencoded': {
              schema: {
                type: 'object',
                required: ['customer'],
                properties: {
                  customer: { type: 'string' },
                  items: { type: 'array', items: { type: 'object', properties: { price: { type: 'string' }, quantity: { type: 'integer' } } } },
                  colors: { type: 'array', items: { type: 'string' } },
                  note: { type: 'object', additionalProperties: true },
                },
              },
              encoding: { items: { style: 'deepObject', explode: true } },
            },
          },
        },
        responses: { 200: { description: 'ok', content: { 'application/json': { schema: {} } } } },
      },
    },
    '/covers/{id}': {
      put: {
        operationId: 'putCover',
        requestBody: { content: { 'image/png': { schema: { type: 'string', format: 'binary' } } } },
        responses: { 200: { description: 'ok' } },
      },
      post: {
        operationId: 'uploadCover',
        requestBody: {
          content: {
            'multipart/form-data': {
              schema: {
                type: 'object',
                properties: {
                  id: { type: 'string' },
                  file: { type: 'string', format: 'binary' },
                  about: { type: 'object', properties: { by: { type: 'string' } } },
                },
              },
              encoding: { file: { contentType: 'image/png, image/jpeg' } },
            },
          },
        },
        responses: { 200: { description: 'ok' } },
      },
      get: { operationId: 'getCover', responses: { 200: { description: 'ok', content: { 'image/png': { schema: { type: 'string', format: 'binary' } } } } } },
    },
  },
  components: {
    securitySchemes: {
      key: { type: 'apiKey', in: 'header', name: 'X-Key' },
      user: { type: 'http', scheme: 'basic' },
      pin: { type: 'apiKey', in: 'query', name: 'pin' },
      sid: { type: 'apiKey', in: 'cookie', name: 'sid' },
      token: { type: 'http', scheme: 'bearer' },
      client: { type: 'oauth2', flows: { clientCredentials: { tokenUrl: 'https://login.library.test/token', scopes: { read: 'Reads' } } } },
      login: {
        type: 'oauth2',
        flows: { authorizationCode: { authorizationUrl: 'https://login.library.test/a', tokenUrl: 'https://login.library.test/token', scopes: {} } },
      },
      odd: { type: 'http', scheme: 'digest' },
    },
    schemas: {
      Book: {
        type: 'object',
        required: ['id', 'title'],
        properties: {
          id: { type: 'integer', readOnly: true },
          title: { type: 'string', example: 'x' },
          related: { type: 'array', items: { $ref: '#/components/schemas/Book' } },
          $ref: { type: 'string', description: 'A member that is named so.' },
          secret: { type: 'string', writeOnly: true },
        },
        discriminator: { propertyName: 'kind' },
        'x-internal': true,
      },
      NewBook: {
        type: 'object',
        required: ['title', 'id'],
        properties: {
          id: { type: 'integer', readOnly: true },
          title: { type: 'string', nullable: true, pattern: String.raw`^\p{Lu}` },
          isbn: { type: 'string', pattern: '(?<bad' },
          parent: { nullable: true, allOf: [{ $ref: '#/components/schemas/Book' }] },
          __proto: { type: 'string' },
        },
      },
    },
  },
};
