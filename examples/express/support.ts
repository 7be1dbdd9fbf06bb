// A service as in Express's documentation. Elsewhere it also listens; here only its application is needed.
import express from 'express';
import { orderOf, refund } from './orders.ts';

export const app = express();
app.use(express.json());

app.get('/orders/:orderId', (request, response) => {
  if (!/^o-\d+$/.test(request.params.orderId)) return void response.status(404).json({ error: 'no such order' });
  response.json({ ...orderOf(request.params.orderId), currency: request.query['currency'] ?? 'EUR' });
});

app.post('/orders/:orderId/refunds', (request, response) => {
  response.status(201).json({ refunded: request.body.amount, refunds: refund(request.params.orderId, request.body.amount) });
});

app.delete('/orders/:orderId', (request, response) => {
  response.json({ deleted: request.params.orderId });
});
