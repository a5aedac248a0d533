/** What stands behind `offersUrl` of a challenge: the same challenge with its offers signed. */
import { MarketError } from '@market/contract';
import type { HandlersOf } from '../../../access/call.ts';
import { findPayable, thingOf } from '../goods/payable-service.ts';
import { registrationThing } from '../goods/register-by-machine.ts';
import { networkChosen } from '../intake/network-chosen.ts';
import type { X402Context } from '../x402-context.ts';
import type { OfferedThing } from './offers.ts';
import { payableAddress } from './payable-address.ts';
import { signedOffers } from './signed-offers.ts';
import { PAYMENT_NEEDED, standardChallenge } from './standard-challenge.ts';

export function readSignedOffers(context: X402Context): HandlersOf<'x402'>['offers'] {
  return async ({ at, service_id: id, chain }, call) => {
    if (context.issuer === undefined) throw new MarketError('offers_not_signed');
    const network = networkChosen({ chain }, context.chains);
    const thing = at === 'register' ? registrationThing(context) : await thingFor(context, id);
    const address = payableAddress(context.baseUrl, at, at === 'register' ? undefined : id);
    const method = at.startsWith('discover') ? 'GET' : 'POST';
    const offered = standardChallenge(context, thing, { form: 'accepts', network, ...address, method }, PAYMENT_NEEDED);
    if (offered === undefined) throw new MarketError('no_payment_network', { retryAfterSeconds: 60 });
    const { accepts, resource, ...rest } = offered;
    call.setHeader('Cache-Control', 'private, no-store');
    return {
      data: {
        ...rest,
        resource: { ...resource },
        accepts: accepts.map((offer) => ({ ...offer })),
        extensions: { ...signedOffers(context, address.url, accepts) },
      },
    };
  };
}

async function thingFor(context: X402Context, id: string | undefined): Promise<OfferedThing> {
  if (id === undefined) throw new MarketError('invalid_input', { message: 'service_id is missing: only a registration goes without.' });
  return thingOf(context, await findPayable(context.database.db, id));
}
