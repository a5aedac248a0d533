/** Repeating a paid registration from public data returns the agent's key to a wallet that signs, as recovery does, and to nobody else. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { allowPayer, registerAgent } from '../../harness/agents.ts';
import { openAccount, requireOutcomes } from '../../harness/authority.ts';
import { type Headers, openMachineBuyer, transferProof } from '../../harness/machine-buyers.ts';
import { REGISTRATION_MICROS, registerWith, requireRegistered, signRegistration } from '../../harness/machine-registrations.ts';
import { openMarket, type TestMarket, withOwnChains } from '../../harness/market.ts';
import { type Buyer, openBuyer } from '../../harness/orders.ts';
import { agentBody, asHeaders, linkWallet, openSession, signed, type TestWallet } from '../../harness/people.ts';

const NETWORK = 'base-mainnet';

let market: TestMarket;
let url: string;
before(async () => {
  market = await openMarket(withOwnChains);
  ({ url } = market);
});
after(() => market.close());

type Body = Record<string, unknown>;
interface Registered {
  readonly wallet: TestWallet;
  readonly body: Body;
  readonly payment: Headers;
  readonly key: string;
}

const ways: Readonly<Record<string, () => Promise<Registered>>> = {
  'a transfer': async () => {
    const wallet: Buyer = await openBuyer(market, NETWORK);
    const reference = await wallet.payer.pay(wallet.payer.chain.treasury, REGISTRATION_MICROS);
    const payment = transferProof(NETWORK, reference);
    const body = agentBody();
    const { api_key: key } = await requireRegistered(registerWith(url, { ...payment, ...asHeaders(await signed(wallet)) }, body));
    return { wallet, body, payment, key };
  },
  'a standard payment': async () => {
    const wallet = await openMachineBuyer(market, NETWORK);
    const payment = await signRegistration(market, url, wallet);
    const body = agentBody();
    const { api_key: key } = await requireRegistered(registerWith(url, payment, body));
    return { wallet, body, payment, key };
  },
};

/** Credentials that may pay from the wallet, but recover nothing. */
const payers: Readonly<Record<string, (wallet: TestWallet) => Promise<Headers>>> = {
  'the key of an agent that the wallet lets pay': async (wallet) => {
    const agent = await registerAgent(url);
    assert.equal((await allowPayer(url, wallet, agent.id)).status, 200);
    return { authorization: `Bearer ${agent.key}` };
  },
  'an account that the wallet is linked to': async (wallet) => {
    const { token } = await openAccount(url);
    await linkWallet(url, token, wallet);
    return { authorization: `Bearer ${token}` };
  },
  'a session of the wallet': async (wallet) => ({ cookie: await openSession(url, wallet), 'sec-fetch-site': 'same-origin', origin: url }),
};

for (const [way, open] of Object.entries(ways)) {
  for (const [who, credentials] of Object.entries(payers)) {
    test(`V06, V04: ${who} gets no key of an agent that the wallet registered by ${way}`, async () => {
      const { wallet, body, payment, key } = await open();
      const reply = await registerWith(url, { ...payment, ...(await credentials(wallet)) }, body);
      const isKeyShown = JSON.stringify(reply.body).includes(key);
      requireOutcomes({ repeated: [reply, '201'], 'the key is shown': [isKeyShown, false] });
    });
  }

  test(`V06, V04: a signature of the wallet gets the key of an agent that it registered by ${way}`, async () => {
    const { wallet, body, payment, key } = await open();
    const reply = await requireRegistered(registerWith(url, { ...payment, ...asHeaders(await signed(wallet)) }, body));
    assert.equal(reply['api_key'], key);
  });
}
