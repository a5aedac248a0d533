/** A payment's name that is on the chain is no secret, even if it looks random: the nonce of an authorisation opens no stored key. */
import { after, before, test } from 'node:test';
import { requireOutcomes, valuesOf } from '../../harness/authority.ts';
import { openMachineBuyer, versionTwo } from '../../harness/machine-buyers.ts';
import { readRegistrationOffer, registerWith, requireRegistered, signRegistration } from '../../harness/machine-registrations.ts';
import { openMarket, type TestMarket, withOwnChains } from '../../harness/market.ts';
import { agentBody } from '../../harness/people.ts';

const NETWORK = 'base-mainnet';

let market: TestMarket;
let url: string;
before(async () => {
  market = await openMarket(withOwnChains);
  ({ url } = market);
});
after(() => market.close());

test('V06, V15: a payment named by the nonce of its authorisation, which is on the chain, gives no stranger the key', async () => {
  const buyer = await openMachineBuyer(market, NETWORK);
  const signedPayment = await signRegistration(market, url, buyer);
  const { payload } = JSON.parse(Buffer.from(signedPayment['payment-signature'] ?? '', 'base64').toString());
  const id = String(payload.authorization.nonce).slice(2);
  const extensions = { 'payment-identifier': { info: { id } } };
  const offer = await readRegistrationOffer(market, url, NETWORK);
  const body = agentBody();
  const own = await requireRegistered(registerWith(url, versionTwo(offer, payload, extensions), body));
  // Payer, amount, times and nonce are on the chain; name and description on the agent's page.
  const copy = { authorization: payload.authorization, signature: `0x${'11'.repeat(64)}1b` };
  const stolen = await registerWith(url, versionTwo(offer, copy, extensions), body);
  requireOutcomes({ 'the key is shown': [valuesOf(stolen.body, 'api_key').includes(own['api_key']), false] });
});
