/** `POST /api/orders` with a payment instead of an account: the same hire through the ordinary door. */
import { MarketError, type OperationArguments, type Operations } from '@market/contract';
import type { Call, HandlersOf } from '../../../access/call.ts';
import { findOrder, presentOrder } from '../../orders/index.ts';
import { networkChosen } from '../intake/network-chosen.ts';
import { formOf } from '../offers/challenge-options.ts';
import { orderExtension, orderFirstVersionSchema } from '../offers/discovery-extension.ts';
import { payableAddress } from '../offers/payable-address.ts';
import type { X402Context } from '../x402-context.ts';
import { type HireRequest, hire } from './hire.ts';

type Place = HandlersOf<'orders'>['place'];
type Input = OperationArguments<Operations['orders']['place']>;

/** Uploaded files belong to their uploader, and an anonymous payer has none. */
const IMAGES_NEED_ACCOUNT =
  'reference_images cannot go with a payment. Put the addresses of your images in reference_urls, or place the order signed in and pay it. Nothing was taken.';

/** Without credentials or payment, answer 402. */
export function placeByPayment(context: X402Context): Place {
  return async (input, call) => {
    const isPaid = input.x_payment !== undefined || input.payment_signature !== undefined;
    if (isPaid && input.reference_images.length > 0) throw new MarketError('invalid_input', { message: IMAGES_NEED_ACCOUNT });
    return await hireWith(context, call, input);
  };
}

async function hireWith(context: X402Context, call: Call, input: Input): ReturnType<Place> {
  const request: HireRequest = {
    serviceId: input.service_id,
    briefs: [input.brief],
    referenceUrls: input.reference_urls,
    requirements: input.requirement_answers,
    settlement: input.settlement ?? 'instant',
    headers: input,
    challenge: {
      form: formOf('flat', input.x402Version),
      network: networkChosen(input, context.chains),
      ...payableAddress(context.baseUrl, 'orders', input.service_id),
      method: 'POST',
      extension: orderExtension(input.service_id),
      outputSchema: orderFirstVersionSchema,
    },
  };
  return await hire(context, call, request, async (db, { order_id: id, x402, status_url, poll_hint, ...hired }) => {
    const { read_token, buyer_token, token_expires_at } = hired;
    const order = await findOrder(db, id);
    if (order === undefined) throw new MarketError('order_not_found');
    const data = await presentOrder(db, context, order, { role: 'buyer', seesResults: false });
    const shown = read_token === null && buyer_token === null ? { ...data, ...nothingDelivered } : data;
    return { data: shown, x402, read_token, buyer_token, token_expires_at, status_url, poll_hint };
  });
}

/** Hide the buyer's results from callers that only repeat a public reference. */
const nothingDelivered = { deliverable_url: null, deliverable_media_type: null, deliverable_preview_url: null } as const;
