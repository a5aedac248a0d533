/** GET /api/x402/requirements: the challenge of a hire as a plain answer, for tools and readers that cannot read a 402. */
import { feeOf, formatUsd, MarketError } from '@market/contract';
import type { HandlersOf } from '../../../access/call.ts';
import { paymentsFor } from '../feeds/payables.ts';
import { networkChosen, payableAddress } from '../offers/challenge-options.ts';
import { PAYMENT_NEEDED, standardChallenge } from '../offers/standard-challenge.ts';
import type { X402Context } from '../x402-context.ts';
import { findPayable, hireOffer } from './hire.ts';

export function readRequirements(context: X402Context): HandlersOf<'x402'>['requirements'] {
  return async ({ service_id: id, chain }) => {
    const network = networkChosen({ chain }, context.chains);
    const service = await findPayable(context.database.db, id);
    const address = payableAddress(context.baseUrl, 'pay', id);
    const payments = paymentsFor(context, service, network);
    if (Object.keys(payments).length === 0) throw new MarketError('no_payment_network', { retryAfterSeconds: 60 });
    const options = { form: 'accepts', network, ...address, method: 'POST' } as const;
    const standard = standardChallenge(context, hireOffer(context, service), options, PAYMENT_NEEDED);
    const { priceMicros } = service;
    const fee = feeOf(priceMicros);
    return {
      data: {
        http_status: 402,
        x402Version: 2,
        error: standard?.error ?? PAYMENT_NEEDED,
        resource: standard === undefined ? { url: address.url } : { ...standard.resource },
        accepts: (standard?.accepts ?? []).map((entry) => ({ ...entry })),
        extensions: { ...standard?.extensions },
        payments,
        price_usd: Number(formatUsd(priceMicros)),
        platform_fee_usd: Number(formatUsd(fee)),
        total_charged_usd: Number(formatUsd(priceMicros + fee)),
      },
    };
  };
}
