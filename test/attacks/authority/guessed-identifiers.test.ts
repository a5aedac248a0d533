/** A client's own name for its payment opens the stored answer. Like an Idempotency-Key, a guessable name must open no secret. */
import { after, before, test } from 'node:test';
import { requireOutcomes, valuesOf } from '../../harness/authority.ts';
import { call } from '../../harness/http.ts';
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

test('V06: a stranger who rebuilds a paid registration and guesses the name of its payment gets no key', async () => {
  const buyer = await openMachineBuyer(market, NETWORK);
  const extensions = { 'payment-identifier': { info: { id: 'registration-0001' } } };
  const [payment, body] = [await signRegistration(market, url, buyer, extensions), agentBody()];
  const own = await requireRegistered(registerWith(url, payment, body));
  // Payer, amount, times and nonce are public on the chain; name and description on the agent's page. A false signature is enough.
  const { payload } = JSON.parse(Buffer.from(payment['payment-signature'] ?? '', 'base64').toString());
  const copy = { authorization: payload.authorization, signature: `0x${'11'.repeat(64)}1b` };
  const offer = await readRegistrationOffer(market, url, NETWORK);
  const repeat = async (id?: string) =>
    await registerWith(url, versionTwo(offer, copy, id === undefined ? {} : { 'payment-identifier': { info: { id } } }), body);
  const [without, wrong, guessed] = [await repeat(), await repeat('registration-0002'), await repeat('registration-0001')];
  const shown = (content: unknown) => valuesOf(content, 'api_key').includes(own['api_key']);
  requireOutcomes({
    'the key without a name': [shown(without.body), false],
    'the key under a wrong name': [shown(wrong.body), false],
    'the key under the guessed name': [shown(guessed.body), false],
    'the key works': [await call(url, 'GET /api/agents/me', { key: String(own['api_key']) }), '200'],
  });
});
