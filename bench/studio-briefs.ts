// Ten goals as people would say them, written before any of them was tried and not changed since. Two are of
// kinds for which there is no recipe.
const description = JSON.stringify({
  openapi: '3.1.0',
  info: { title: 'Bookings', version: '1' },
  servers: [{ url: 'https://bookings.example.org' }],
  paths: { '/bookings': { get: { operationId: 'listBookings', summary: 'All bookings', responses: { 200: { description: 'ok' } } } } },
});

export const BRIEFS: readonly { goal: string; inputs?: Record<string, unknown> }[] = [
  {
    goal: 'Every morning at seven send me what the two harbour newspapers have in their headlines',
    inputs: { sources: [{ name: 'Post', url: 'https://post.example.org/feed.xml' }, { name: 'Echo', url: 'https://echo.example.org/feed.xml' }], cron: '0 7 * * *' }, // prettier-ignore
  },
  { goal: 'When our shop sends an order, give me a flat object of it', inputs: { fields: [{ to: 'number', from: 'order.id' }] } },
  { goal: 'Find the passages about mooring rules in the handbooks that we have' },
  {
    goal: 'Collect who signs up for the regatta, and refuse the same person a second time',
    inputs: { fields: [{ name: 'email', type: 'email' }, { name: 'boat', type: 'text' }], unique: 'email' }, // prettier-ignore
  },
  { goal: 'Turn the table of last month’s sales into a summary with pictures' },
  { goal: 'Sort the mail of the office into complaints, invoices and everything else', inputs: { categories: [{ name: 'complaints', words: ['complaint'] }, { name: 'invoices', words: ['invoice'] }] } }, // prettier-ignore
  { goal: 'Before we pay money back somebody has to agree, and it must be written down who' },
  { goal: 'Tell me when diesel costs more than two euros', inputs: { url: 'https://fuel.example.org/prices.json', value_at: 'diesel.price', max: 2 } },
  { goal: 'Make our booking service callable, one skill for each thing that it does', inputs: { openapi_document: description } },
  { goal: 'Translate the menu of the day into five languages for our guests' },
];
