/** GET `offersUrl` of a challenge: the same challenge with signed offers. */
import { MarketError, operations, untrustedTextOf } from '@market/contract';
import type { HandlersOf } from '../../../access/call.ts';
import { findPayable, hireOffer } from '../hire/hire.ts';
import { registrationOffer } from '../registration/registration.ts';
import type { X402Context } from '../x402-context.ts';
import { networkChosen, payableAddress } from './challenge-options.ts';
import type { Offer } from './offers.ts';
import { signedOffers } from './signed-offers.ts';
import { PAYMENT_NEEDED, standardChallenge } from './standard-challenge.ts';

export function readSignedOffers(context: X402Context): HandlersOf<'x402'>['offers'] {
  return async ({ at, service_id: id, chain }, call) => {
    if (context.issuer === undefined) throw new MarketError('offers_not_signed');
    const network = networkChosen({ chain }, context.chains);
    const offer = at === 'register' ? registrationOffer(context) : await offerFor(context, id);
    const address = payableAddress(context.baseUrl, at, at === 'register' ? undefined : id);
    const method = at.startsWith('discover') ? 'GET' : 'POST';
    const unsigned = standardChallenge(context, offer, { form: 'accepts', network, ...address, method }, PAYMENT_NEEDED);
    if (unsigned === undefined) throw new MarketError('no_payment_network', { retryAfterSeconds: 60 });
    const { accepts, resource, ...rest } = unsigned;
    call.setHeader('Cache-Control', 'private, no-store');
    return {
      data: {
        ...(offer.bySeller === true && { 'x-untrusted-text': untrustedTextOf(operations.x402.offers) }),
        ...rest,
        resource: { ...resource },
        accepts: accepts.map((entry) => ({ ...entry })),
        extensions: { ...signedOffers(context, address.url, accepts) },
      },
    };
  };
}

async function offerFor(context: X402Context, id: string | undefined): Promise<Offer> {
  if (id === undefined) throw new MarketError('invalid_input', { message: 'service_id is missing. Only a registration needs none.' });
  return hireOffer(context, await findPayable(context.database.db, id));
}
