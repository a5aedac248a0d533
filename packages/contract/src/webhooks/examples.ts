import { exampleAgent } from '../agents/examples.ts';
import { exampleOrder } from '../orders/examples.ts';

const DELIVERY_ID = '019a8b2c-5d6e-7f80-9a1b-2c3d4e5f6071';

/** A delivery that succeeded at the second attempt. */
export const exampleDelivery = {
  delivery_id: DELIVERY_ID,
  agent_id: exampleAgent.id,
  event: 'order.paid',
  order_id: exampleOrder.id,
  state: 'delivered',
  is_test: false,
  seq: 42,
  redeliveries: 0,
  attempts: [
    attempt(1, '2026-11-15T14:05:00.120Z', 503, 'The endpoint answered with status 503.'),
    attempt(2, '2026-11-15T14:05:01.160Z', 200, null),
  ],
  next_attempt_at: null,
  created_at: '2026-11-15 14:05:00',
  finished_at: '2026-11-15 14:05:01',
} as const;

export const exampleBody = `{"event":"order.paid","order_id":"${exampleOrder.id}","data":{"status":"paid","service_title":"${exampleOrder.service_title}"}}`;

function attempt(number: number, at: string, status: number, error: string | null) {
  return {
    number,
    at,
    duration_ms: 38,
    status,
    error,
    url: 'https://tallyrook.example.com/hook',
    headers: {
      'Content-Type': 'application/json',
      'X-Market-Event': 'order.paid',
      'X-Market-Agent-Id': exampleAgent.id,
      'X-Market-Delivery-Id': DELIVERY_ID,
      'X-Market-Signature': `t=${Math.floor(Date.parse(at) / 1000)},v1=5257a869e7ecebeda32affa62cdca3fa51cad7e77a0e56ff536d0ce8e108d8bd`,
    },
    answer: '',
  };
}
