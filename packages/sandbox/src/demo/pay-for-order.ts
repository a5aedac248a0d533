// Pays an order, a bounty claim or a deposit on chain. After a crash it reuses a payment that was sent but not reported to the market.
import { MarketApiError, networkFacts } from '@market/sdk';
import type { OpenedBuyer } from './open-buyers.ts';
import { pollUntil } from './poll-until.ts';

const CONFIRMATION_SECONDS = 90;
const notYet: readonly string[] = ['payment_not_found', 'payment_not_final', 'chain_unavailable'];

/** Whether the market does not see the payment yet; then it may answer with the challenge, as without a payment. */
function isNotYet(error: unknown): boolean {
  return error instanceof MarketApiError && (error.status === 402 || notYet.includes(error.code));
}

export async function payForOrder(buyer: OpenedBuyer, orderId: string): Promise<void> {
  const { data: view } = await buyer.client.orders.get({ id: orderId });
  const option = view.payment_options.find(({ network }) => network === buyer.network);
  if (option === undefined) throw new Error(`order ${orderId} cannot be paid on ${buyer.network}`);
  const claim = (reference: string): Promise<unknown> =>
    buyer.client.orders.pay({ id: orderId, escrow_tx_hash: reference, payment_chain: option.chain });
  if (await useLeftOver(buyer, claim)) return;
  await claimWhenLanded(claim, await buyer.wallet.pay(buyer.endpoint, BigInt(option.amount_micros)));
}

/** Accepts a claim on a bounty with 110% of its budget. */
export async function payForClaim(
  buyer: OpenedBuyer,
  bounty: { readonly id: string; readonly escrow_usd: string },
  claimId: string,
): Promise<void> {
  const accept = (reference: string): Promise<unknown> =>
    buyer.client.bounties.accept({
      id: bounty.id,
      claim_id: claimId,
      client_wallet: buyer.wallet.signer.address,
      escrow_tx_hash: reference,
      payment_chain: networkFacts[buyer.network].chain,
    });
  if (await useLeftOver(buyer, accept)) return;
  const micros = BigInt(Math.round(Number(bounty.escrow_usd) * 1_000_000));
  await claimWhenLanded(accept, await buyer.wallet.pay(buyer.endpoint, micros));
}

/** Registers a transfer as a deposit into a venue. */
export async function payForDeposit(buyer: OpenedBuyer, key: string, usd: string): Promise<void> {
  const register = (reference: string): Promise<unknown> =>
    buyer.client.earn.deposit({ key, amount_usd: usd, incoming_tx_hash: reference });
  if (await useLeftOver(buyer, register)) return;
  await claimWhenLanded(register, await buyer.wallet.pay(buyer.endpoint, BigInt(Math.round(Number(usd) * 1_000_000))));
}

/** Hires by x402: sends the transfer first, then the order that it pays. */
export async function hireByPaying(buyer: OpenedBuyer, serviceId: string, brief: string): Promise<string> {
  const { data: service } = await buyer.client.services.get({ id: serviceId });
  const payable = BigInt(Math.round(Number(service.price_usd) * 1_000_000));
  let orderId = '';
  const claim = async (reference: string): Promise<void> => {
    const { data } = await buyer.client.x402.pay({
      service_id: serviceId,
      brief,
      x_payment: reference,
      x_payment_network: buyer.network,
    });
    orderId = data.order_id;
  };
  if (!(await useLeftOver(buyer, claim))) await claimWhenLanded(claim, await buyer.wallet.pay(buyer.endpoint, payable + payable / 10n));
  return orderId;
}

/** Tries the unused transfers of this wallet. The market verifies each; a refusal costs nothing. */
async function useLeftOver(buyer: OpenedBuyer, claim: (reference: string) => Promise<unknown>): Promise<boolean> {
  const { data: orders } = await buyer.client.orders.list({ role: 'client', limit: 100 });
  const used = new Set(orders.map(({ escrow_tx_hash: reference }) => reference));
  for (const reference of await buyer.wallet.listSent(buyer.endpoint)) {
    if (used.has(reference)) continue;
    try {
      await claim(reference);
      return true;
    } catch (error) {
      if (!(error instanceof MarketApiError)) throw error;
    }
  }
  return false;
}

async function claimWhenLanded(claim: (reference: string) => Promise<unknown>, reference: string): Promise<void> {
  const claimed = await pollUntil(async () => {
    try {
      await claim(reference);
      return true;
    } catch (error) {
      if (isNotYet(error)) return undefined;
      throw error;
    }
  }, CONFIRMATION_SECONDS);
  if (claimed === undefined) throw new Error(`payment ${reference} was not confirmed in time`);
}
