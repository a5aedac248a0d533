/** The addresses that hire by payment: GET and POST /api/x402/discover and /api/x402/pay, and POST /api/orders without an account. */
import { MarketError, type OperationAnswer, type Operations } from '@market/contract';
import type { Call, HandlersOf } from '../../../access/call.ts';
import type { Db } from '../../../platform/db/database.ts';
import { findOrder, presentOrder } from '../../orders/index.ts';
import { findService } from '../../services/index.ts';
import { buy } from '../intake/intake.ts';
import { challenge } from '../offers/challenge.ts';
import { type Entrance, readChallengeOptions } from '../offers/challenge-options.ts';
import { orderExtension, orderFirstVersionSchema } from '../offers/discovery-extension.ts';
import type { X402Context } from '../x402-context.ts';
import { findPayable, type HireRequest, hire, hireOffer } from './hire.ts';
import type { HireData } from './hired-order.ts';

interface HireInput {
  readonly service_id: string;
  readonly chain?: string | undefined;
  readonly x402Version?: '1' | '2' | undefined;
  readonly brief?: string | undefined;
  readonly requirements?: HireRequest['requirements'];
  readonly settlement: 'instant' | 'on_approval';
  readonly x_payment?: string | undefined;
  readonly payment_signature?: string | undefined;
  readonly x_payment_network?: string | undefined;
  readonly x_market_brief?: string | undefined;
}

type HireHandlers = Pick<HandlersOf<'x402'>, 'discover' | 'discoverByBody' | 'discoverByQuery' | 'pay' | 'quote'>;

export function hireHandlers(context: X402Context): HireHandlers {
  return {
    discover: async (input, call) => await hireFrom(context, call, input, besideData, 'GET', 'discover'),
    discoverByBody: async (input, call) => await hireFrom(context, call, input, besideData, 'POST', 'discover'),
    discoverByQuery: async (input, call) => await hireFrom(context, call, input, besideData, 'GET', 'discover_query'),
    pay: async (input, call) => await hireFrom(context, call, input, (data) => ({ data }), 'POST', 'pay'),
    async quote({ service_id: serviceId, ...input }) {
      const options = readChallengeOptions(context, input, { entrance: 'pay', serviceId, usualForm: 'flat', method: 'POST' });
      const service = await findPayable(context.database.db, serviceId);
      throw challenge(context, hireOffer(context, service), options);
    },
  };
}

async function hireFrom<A extends { readonly data: unknown }>(
  context: X402Context,
  call: Call,
  input: HireInput,
  answer: (data: HireData) => A,
  method: 'GET' | 'POST',
  entrance: Extract<Entrance, 'discover' | 'discover_query' | 'pay'>,
): Promise<A> {
  const { service_id: serviceId, requirements, settlement } = input;
  const usualForm = entrance === 'pay' ? 'flat' : 'accepts';
  const request = {
    serviceId,
    briefs: [input.brief, input.x_market_brief],
    requirements,
    settlement,
    headers: input,
    challenge: readChallengeOptions(context, input, { entrance, serviceId, usualForm, method }),
  };
  return await hireService(context, call, request, async (_db, data) => answer(data));
}

/** The specification shows the fields of an answer at the top; they stand there and in `data`. */
function besideData(data: HireData): OperationAnswer<Operations['x402']['discover']> {
  return { data, order_id: data.order_id, status: data.status, result_url: data.result_url };
}

type Place = HandlersOf<'orders'>['place'];

/** Uploaded files belong to their uploader, and an anonymous payer has none. */
const IMAGES_NEED_ACCOUNT =
  'reference_images cannot go with a payment. Put the addresses of your images in reference_urls, or place the order signed in and pay it. Nothing was taken.';

/** `POST /api/orders` with a payment instead of an account: the same hire at the ordinary address. */
export function placeByPayment(context: X402Context): Place {
  return async (input, call) => {
    const isPaid = input.x_payment !== undefined || input.payment_signature !== undefined;
    if (isPaid && input.reference_images.length > 0) throw new MarketError('invalid_input', { message: IMAGES_NEED_ACCOUNT });
    const { service_id: serviceId, requirement_answers: requirements, settlement = 'instant' } = input;
    const request = {
      serviceId,
      briefs: [input.brief],
      referenceUrls: input.reference_urls,
      requirements,
      settlement,
      headers: input,
      challenge: {
        ...readChallengeOptions(context, input, { entrance: 'orders', serviceId, usualForm: 'flat', method: 'POST' }),
        extension: orderExtension(serviceId),
        outputSchema: orderFirstVersionSchema,
      },
    };
    return await hireService(context, call, request, async (db, data) => await besideOrder(context, db, data));
  };
}

async function besideOrder(context: X402Context, db: Db, hired: HireData): ReturnType<Place> {
  const { order_id: id, x402, status_url, poll_hint, read_token, buyer_token, token_expires_at } = hired;
  const order = await findOrder(db, id);
  if (order === undefined) throw new MarketError('order_not_found');
  const data = await presentOrder(db, context, order, { role: 'buyer', seesResults: false });
  const shown = read_token === null && buyer_token === null ? { ...data, ...nothingDelivered } : data;
  return { data: shown, x402, read_token, buyer_token, token_expires_at, status_url, poll_hint };
}

/** Hide the buyer's results from callers that only repeat a public reference. */
const nothingDelivered = { deliverable_url: null, deliverable_media_type: null, deliverable_preview_url: null } as const;

/** Finds the service and buys the hire. `answer` turns the purchase into the answer of the endpoint. */
async function hireService<A extends { readonly data: unknown }>(
  context: X402Context,
  call: Call,
  { serviceId, ...request }: Omit<HireRequest, 'service'> & { readonly serviceId: string },
  answer: (db: Db, data: HireData) => Promise<A>,
): Promise<A> {
  const service = await findService(context.database.db, serviceId);
  if (service === undefined) throw new MarketError('service_not_found');
  return await buy(context, call, hire, { ...request, service }, async (db, result) =>
    answer(db, await hire.present(db, context, result, call.caller)),
  );
}
