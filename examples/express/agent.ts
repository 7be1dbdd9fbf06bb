import { fromExpress } from '@svc/sdk/adapters/express';
import { app } from './support.ts';

export default fromExpress(app, {
  name: 'express-support',
  description: 'Orders of a shop, and their refunds.',
});
