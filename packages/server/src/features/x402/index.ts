/** What the rest of the server may use of machine hires. */
import type { NetworkName, OperationAnswer, Operations } from '@market/contract';
import type { Call, HandlersOf } from '../../access/call.ts';
import { challenge, formOf } from './challenge.ts';
import { feedHandlers } from './feeds.ts';
import { type Hiring, hire } from './hire.ts';
import type { HireData } from './hire-answer.ts';
import { networkOfChain } from './offers.ts';
import { findPayable, thingOf } from './payable-service.ts';
import type { X402Context } from './x402-context.ts';

interface HireInput {
  readonly service_id: string;
  readonly chain?: 'solana' | 'base' | 'alt' | undefined;
  readonly x402Version?: '1' | '2' | undefined;
  readonly brief?: string | undefined;
  readonly requirements?: Hiring['requirements'];
  readonly settlement: 'instant' | 'on_approval';
  readonly x_payment?: string | undefined;
  readonly payment_signature?: string | undefined;
  readonly x_payment_network?: string | undefined;
  readonly x_market_brief?: string | undefined;
}

export function x402Handlers(context: X402Context): HandlersOf<'x402'> {
  return {
    ...feedHandlers(context),
    discover: async (input, call) => await hireFrom(context, call, input, besideData, 'GET', pathForm(input.service_id)),
    discoverByBody: async (input, call) => await hireFrom(context, call, input, besideData, 'POST', pathForm(input.service_id)),
    discoverByQuery: async (input, call) => {
      const path = `/api/x402/discover?service_id=${encodeURIComponent(input.service_id)}`;
      return await hireFrom(context, call, input, besideData, 'GET', path);
    },
    async pay(input, call) {
      const path = `/api/x402/pay?service_id=${encodeURIComponent(input.service_id)}`;
      return await hireFrom(context, call, input, (data) => ({ data }), 'POST', path, 'flat');
    },
    async quote({ service_id: id, chain, x402Version }) {
      const service = await findPayable(context.database.db, id);
      const url = `${context.baseUrl}/api/x402/pay?service_id=${encodeURIComponent(id)}`;
      const form = formOf('flat', x402Version);
      throw challenge(context, thingOf(context, service), { form, network: networkOfChain(chain), url, method: 'POST' });
    },
  };
}

function pathForm(serviceId: string): string {
  return `/api/x402/discover/${encodeURIComponent(serviceId)}`;
}

async function hireFrom<A extends { readonly data: unknown }>(
  context: X402Context,
  call: Call,
  input: HireInput,
  answer: (data: HireData) => A,
  method: 'GET' | 'POST',
  path: string,
  form: 'accepts' | 'flat' = 'accepts',
): Promise<A> {
  const network: NetworkName | undefined = networkOfChain(input.chain);
  const hiring = {
    serviceId: input.service_id,
    briefs: [input.brief, input.x_market_brief],
    requirements: input.requirements,
    settlement: input.settlement,
    headers: input,
    challenge: {
      form: formOf(form, input.x402Version),
      network,
      url: `${context.baseUrl}${path}`,
      method,
    },
  };
  return await hire(context, call, hiring, async (_db, data) => answer(data));
}

/** The specification shows the fields of an answer at the top; they stand there and in `data`. */
function besideData(data: HireData): OperationAnswer<Operations['x402']['discover']> {
  return { data, order_id: data.order_id, status: data.status, result_url: data.result_url };
}

export { x402ClaimHolders } from './claim-holders.ts';
export { storedSettlements } from './pending-settlements-repository.ts';
export { placeOrHire } from './place-by-machine.ts';
export { x402Jobs } from './reconcile-job.ts';
export { registerOrPay } from './register-by-machine.ts';
export { sealedPaymentPlaces } from './sealed-places.ts';
export { createOfferIssuer, didDocumentOf } from './signed-offers-issuer.ts';
export type { X402Context } from './x402-context.ts';
