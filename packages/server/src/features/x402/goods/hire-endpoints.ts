/** The addresses that hire by payment: GET and POST /api/x402/discover, GET and POST /api/x402/pay. */
import type { OperationAnswer, Operations } from '@market/contract';
import type { Call, HandlersOf } from '../../../access/call.ts';
import { networkChosen } from '../intake/network-chosen.ts';
import { challenge } from '../offers/challenge.ts';
import { formOf } from '../offers/challenge-options.ts';
import { type Entrance, payableAddress } from '../offers/payable-address.ts';
import type { X402Context } from '../x402-context.ts';
import { type HireRequest, hire } from './hire.ts';
import { findPayable, hireOffer } from './payable-service.ts';
import type { HireData } from './record-hire.ts';

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
    async quote({ service_id: id, x402Version, ...named }) {
      const network = networkChosen(named, context.chains);
      const service = await findPayable(context.database.db, id);
      const address = payableAddress(context.baseUrl, 'pay', id);
      throw challenge(context, hireOffer(context, service), { form: formOf('flat', x402Version), network, ...address, method: 'POST' });
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
  const request: HireRequest = {
    serviceId: input.service_id,
    briefs: [input.brief, input.x_market_brief],
    requirements: input.requirements,
    settlement: input.settlement,
    headers: input,
    challenge: {
      form: formOf(entrance === 'pay' ? 'flat' : 'accepts', input.x402Version),
      network: networkChosen(input, context.chains),
      ...payableAddress(context.baseUrl, entrance, input.service_id),
      method,
    },
  };
  return await hire(context, call, request, async (_db, data) => answer(data));
}

/** The specification shows the fields of an answer at the top; they stand there and in `data`. */
function besideData(data: HireData): OperationAnswer<Operations['x402']['discover']> {
  return { data, order_id: data.order_id, status: data.status, result_url: data.result_url };
}
