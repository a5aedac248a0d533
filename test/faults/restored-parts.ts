/**
 * Parts of a market whose acts are lost with its books: each acts once, and repeats it in the restored books.
 * `balances` are those of everybody who was paid. They must not change any more.
 */
import assert from 'node:assert/strict';
import type { NetworkName } from '@market/contract';
import { registerOwnedAgent } from '../harness/agents.ts';
import { idOf } from '../harness/bare-transfers.ts';
import { postBounty, withdrawClaim } from '../harness/bounties.ts';
import { payFee, untilFinal } from '../harness/fees.ts';
import { call, type Envelope, expectCall, type Reply } from '../harness/http.ts';
import { transferProof } from '../harness/machine-buyers.ts';
import { registerWith } from '../harness/machine-registrations.ts';
import { act, type Buyer, deliver, listService, openBuyer, openProvider, payOrder, placeOrder, walletOf } from '../harness/orders.ts';
import type { PayableMarket } from '../harness/payers.ts';
import { agentBody, asHeaders, signed, solanaWallet, tokenFor } from '../harness/people.ts';
import { openStaker, payStake, STAKE, tryClaimWith } from '../harness/stakes.ts';
import { createTaker, signSwap } from '../harness/swaps.ts';
import { createMaker, makeToken } from '../harness/tokens.ts';
import { chainOf, until } from '../money/money.ts';
import { giveSol, launch, openLaunchAgent, openPictures } from '../tokens/launches/stage.ts';

const ADMIN_KEY = `admin_${'r3'.repeat(20)}`;
export const partSettings = { ADMIN_EMAILS: 'boss@example.com', ADMIN_API_KEY: ADMIN_KEY, OUTBOUND_ALLOW: '127.0.0.1' };

export type Stage = PayableMarket & { readonly url: string };

export interface Part {
  close?(): void;
  /** Acts, and waits until the chain shows it. */
  act(stage: Stage): Promise<void>;
  /** Sends the same requests again. */
  repeat(stage: Stage): Promise<void>;
  balances(): Promise<readonly bigint[]>;
}

const NETWORK = 'base-mainnet';

/** A repeat may be refused, but must not fail. */
function requireAnswer({ status, body }: Reply): void {
  assert.ok(status < 500, JSON.stringify(body));
}

async function usdcAt(stage: PayableMarket, network: NetworkName, address: string): Promise<bigint> {
  return (await chainOf(stage, network).readBalances(address)).usdcMicros;
}

/** An order paid before the backup is delivered and approved: the provider is paid. */
export async function openOrderPart(stage: Stage): Promise<Part> {
  const provider = await openProvider(stage.url, NETWORK);
  const service = await listService(stage.url, provider, { price_usd: '5.00' });
  const buyer = await openBuyer(stage, NETWORK);
  const id = await placeOrder(stage.url, service, buyer);
  await payOrder(stage.url, id, buyer, 'final');
  const received = async () => await usdcAt(stage, NETWORK, provider.owner.address);
  const finish = async ({ url }: Stage) => {
    requireAnswer(await deliver(url, id, provider));
    requireAnswer(await act(url, id, buyer, 'approve'));
  };
  const had = await received();
  return {
    async act(at) {
      await finish(at);
      await until('the payout', async () => ((await received()) > had ? true : undefined), 120);
    },
    repeat: finish,
    balances: async () => [await received()],
  };
}

/** A transfer hires and is refunded. In the restored books it hires nothing, or an early repeat is refunded once. */
export async function openHirePart(stage: Stage): Promise<Part> {
  const provider = await openProvider(stage.url, NETWORK);
  const service = await listService(stage.url, provider, { price_usd: '5.00' });
  const buyer = await openBuyer(stage, NETWORK);
  const reference = await buyer.payer.pay(chainOf(stage, NETWORK).treasury, 5_500_000n, 'final');
  const held = async () => await usdcAt(stage, NETWORK, buyer.address);
  const hireAndCancel = async ({ url }: Stage) => {
    const hired = await hireOnApproval(url, service, buyer, reference);
    requireAnswer(await act(url, idOf(hired), buyer, 'cancel'));
  };
  const had = await held();
  return {
    async act(at) {
      await hireAndCancel(at);
      await until('the refund', async () => ((await held()) > had ? true : undefined), 120);
    },
    async repeat({ url }) {
      const hired = await hireOnApproval(url, service, buyer, reference);
      if (hired.body['code'] === 'payment_already_used') return;
      requireAnswer(await act(url, idOf(hired), buyer, 'cancel'));
    },
    balances: async () => [await held()],
  };
}

async function hireOnApproval(url: string, service: string, buyer: Buyer, reference: string): Promise<Reply> {
  const headers = { ...transferProof(buyer.payer.chain.network, reference), ...asHeaders(await signed(buyer)) };
  return await call(url, `POST /api/x402/pay?service_id=${service}&settlement=on_approval`, {
    headers,
    body: { brief: 'A logo for a bakery.' },
  });
}

/** A claim with a stake is withdrawn: the stake is returned, and the same transfer stakes nothing again. */
export async function openStakePart(stage: Stage): Promise<Part> {
  const staker = await openStaker(stage, stage.url, NETWORK);
  const poster = await openBuyer(stage, NETWORK);
  const { bounty_id: bounty } = await postBounty(stage.url, poster, { claim_stake_usd: STAKE });
  const reference = await payStake(staker, undefined, 'final');
  const held = async () => await usdcAt(stage, NETWORK, staker.payer.address);
  const had = await held();
  const claimAndWithdraw = async ({ url }: Stage) => {
    requireAnswer(await tryClaimWith(url, bounty, staker, reference));
    requireAnswer(await withdrawClaim(url, bounty, staker));
  };
  return {
    async act(at) {
      await claimAndWithdraw(at);
      await until('the stake', async () => ((await held()) > had ? true : undefined), 120);
    },
    async repeat({ url }) {
      const claimed = await tryClaimWith(url, bounty, staker, reference);
      if (claimed.body['code'] === 'payment_already_used') return;
      requireAnswer(claimed);
      requireAnswer(await withdrawClaim(url, bounty, staker));
    },
    balances: async () => [await held()],
  };
}

/** An agent registers by payment. Its payer presents the transfer again. */
export async function openRegistrationPart(stage: Stage): Promise<Part> {
  const buyer = await openBuyer(stage, NETWORK);
  const reference = await buyer.payer.pay(chainOf(stage, NETWORK).treasury, 1_000_000n, 'final');
  const body = agentBody();
  const register = async ({ url }: Stage) => {
    const headers = { ...transferProof(NETWORK, reference), ...asHeaders(await signed(buyer)) };
    const reply = await registerWith(url, headers, body);
    assert.equal(reply.status, 201, JSON.stringify(reply.body));
  };
  return { act: register, repeat: register, balances: async () => [await usdcAt(stage, NETWORK, buyer.address)] };
}

/** A share of creator fees is paid to its recipient. */
export async function openFeePart(stage: Stage, vault: string): Promise<Part> {
  const { url } = stage;
  const maker = await createMaker(stage);
  const wallet = walletOf(maker);
  const agent = await registerOwnedAgent(url, wallet);
  const { mint, token_name, token_symbol } = await makeToken(maker);
  const token = {
    token_mint: mint,
    token_name,
    token_symbol,
    token_mode: 'pumpfun',
    token_creator_wallet: wallet.address,
  };
  await new Promise((resolve) => setTimeout(resolve, 2));
  await expectCall(url, 200, `POST /api/agents/${agent.id}/token`, { body: { ...token, ...(await signed(wallet)) } });
  const fee = await payFee(maker, vault, 8_000_000n, mint);
  await untilFinal(maker.chain, fee);
  await until('the fee in the books', async () => {
    await call(url, 'POST /api/fees/collect', { key: await tokenFor(url, { email: 'boss@example.com' }) });
    const sweeps = (await expectCall(url, 200, 'GET /api/fees/sweeps', { key: ADMIN_KEY })) as Envelope[];
    return sweeps.some(({ tx_hash }) => tx_hash === fee) ? true : undefined;
  });
  const recipient = solanaWallet().address;
  const order = async (at: Stage) => {
    const admin = { key: await tokenFor(at.url, { email: 'boss@example.com' }) };
    const body = { recipient_wallet: recipient, agent_id: agent.id, token_mint: mint, amount_lamports: 1_500_000 };
    requireAnswer(await call(at.url, 'POST /api/fees/payout', { ...admin, body }));
  };
  const held = async () => (await maker.chain.readBalances(recipient)).native;
  /** Checks the list before requesting a payout: after `market reconcile` it shows the one that was paid. */
  const orderUnlessListed = async (at: Stage) => {
    const listed = (await expectCall(at.url, 200, 'GET /api/fees/payouts', { key: ADMIN_KEY })) as Envelope[];
    if (!listed.some(({ recipient_wallet }) => recipient_wallet === recipient)) await order(at);
  };
  return {
    async act(at) {
      await order(at);
      await until('the share', async () => ((await held()) > 0n ? true : undefined), 120);
    },
    repeat: orderUnlessListed,
    balances: async () => [await held()],
  };
}

/** An agent launches its token from its own wallet. */
export async function openLaunchPart(stage: Stage): Promise<Part> {
  const pictures = await openPictures();
  const agent = await openLaunchAgent(stage.url, { avatar_url: `${pictures.url}/good.png` });
  await giveSol(stage, agent, 100_000_000n);
  const held = async () => (await chainOf(stage, 'solana-mainnet').readBalances(agent.wallet)).native;
  return {
    async act({ url }) {
      const reply = await launch(url, agent);
      assert.equal(reply.status, 200, JSON.stringify(reply.body));
    },
    async repeat({ url }) {
      const reply = await launch(url, agent);
      // While outflow is closed the launch is pending.
      assert.ok([200, 409, 504].includes(reply.status), JSON.stringify(reply.body));
    },
    balances: async () => [await held()],
    close: () => pictures.close(),
  };
}

/** A person swaps by a transaction of their own wallet. */
export async function openSwapPart(stage: Stage): Promise<Part> {
  const email = `swapper-${process.pid}-${Date.now()}@example.com`;
  const person = async ({ url }: Stage) => ({ key: await tokenFor(url, { email }) });
  const taker = await createTaker(stage, 20_000_000n);
  let signedSwap: Record<string, unknown> = {};
  const execute = async (at: Stage) => await call(at.url, 'POST /api/swap/execute', { ...(await person(at)), body: signedSwap });
  return {
    async act(at) {
      const quoted = await until('a quote', async () => {
        const reply = await call(at.url, 'POST /api/swap/order', {
          ...(await person(at)),
          body: { taker: taker.address, amount_usd: '15.00' },
        });
        return reply.status === 200 ? reply.body['data'] : undefined;
      });
      signedSwap = { request_id: quoted.requestId, signed_transaction: await signSwap(quoted.transaction, taker) };
      assert.equal((await execute(at)).status, 200);
    },
    repeat: async (at) => requireAnswer(await execute(at)),
    balances: async () => {
      const { usdcMicros, native } = await chainOf(stage, 'solana-mainnet').readBalances(taker.address);
      return [usdcMicros, native];
    },
  };
}
