/** The amount that each paying operation takes from the caller. An operation that is missing here does not compile. */
import {
  type AgentId,
  type NetworkName,
  type OperationArguments,
  type OperationName,
  type OperationOf,
  parseUsd,
  type Spending,
  withFeeOnTop,
} from '@market/contract';
import type { Caller } from '../../access/caller.ts';
import { mayEditAgent } from '../../access/ownership.ts';
import type { StoredAnswer } from '../../platform/idempotency/idempotent-answers.ts';
import { findAgent, ownerWalletOf } from '../agents/index.ts';
import { findClaim, isPoster, requireBounty } from '../bounties/index.ts';
import { findDepositNetwork } from '../earn/index.ts';
import { findOrder, rolesOf } from '../orders/index.ts';
import { networkOfReference } from '../payments/index.ts';
import { MAX_PROOF_SECONDS, type NamedPayment, namePayment, readMaxHirePrice } from '../x402/index.ts';
import { paymentReference, transferReference } from './purchase-repository.ts';
import type { SpendingContext } from './spending-context.ts';

export interface Estimate extends Spending {
  readonly providerAgentId?: AgentId | undefined;
  /** The name of the payment. Without one, each call is a payment of its own. */
  readonly reference?: string | undefined;
  /** The order or service that the call names. */
  readonly about: string | null;
  /** The transfer is on chain already, so a refusal leaves it unclaimed. */
  readonly isTransferred?: boolean;
  /** The seconds after it was made in which the transfer can pay for this; undefined: no limit. */
  readonly transferSeconds?: number;
  /** Costs no USDC: only a freeze stops it, and nothing is reserved. */
  readonly isFree?: true;
  /** Returns the movement that was bought, where only the answer knows it. */
  movementOf?(answer: StoredAnswer): string | null;
}

export const FREEZABLE: Estimate = { amountMicros: 0n, about: null, isFree: true };

type Pays = { readonly effects: { readonly kind: 'pay' } | { readonly paysWith: string } } | { readonly alsoPaid: object };
type Paying<N extends OperationName> = N extends OperationName ? (OperationOf<N> extends Pays ? N : never) : never;
export type PayingOperation = Paying<OperationName>;

/** Undefined: the call has nothing to pay, or its handler refuses it. Strangers learn nothing, so their calls have no estimate. */
type Estimator<N extends PayingOperation> = (
  context: SpendingContext,
  input: OperationArguments<OperationOf<N>>,
  caller: Caller,
) => Promise<Estimate | undefined>;

/** The agent whose wallet or stake pays, by id or slug. */
type PaidBy<N extends PayingOperation> = (input: OperationArguments<OperationOf<N>>) => string | undefined;

export type PayingRule<N extends PayingOperation = PayingOperation> =
  | { readonly estimate: Estimator<N> }
  /** The operation costs the caller no USDC: only a freeze stops it. */
  | { readonly onlyFrozen: string; readonly paidBy?: PaidBy<N> }
  /** The operation moves no money of the caller. */
  | { readonly free: string };

const HELD = 'The money is in escrow or in our books already; the caller pays nothing.';
const OPERATORS = 'Operators move money that the marketplace holds.';
const COIN = 'The agent’s wallet pays in the coin of its network.';

export const payingOperations: { readonly [N in PayingOperation]: PayingRule<N> } = {
  'orders.place': { estimate: (context, input) => estimateHire(context, input.service_id, input) },
  'x402.discover': { estimate: (context, input) => estimateHire(context, input.service_id, input) },
  'x402.discoverByBody': { estimate: (context, input) => estimateHire(context, input.service_id, input) },
  'x402.discoverByQuery': { estimate: (context, input) => estimateHire(context, input.service_id, input) },
  'x402.pay': { estimate: (context, input) => estimateHire(context, input.service_id, input) },
  'agents.register': {
    async estimate(context, input, caller) {
      // The owner is not asked about a registration that is refused anyway.
      ownerWalletOf(caller);
      const payment = namePayment(context, input);
      return payment && { amountMicros: context.registrationMicros, about: null, ...namedBy(payment) };
    },
  },
  'orders.pay': {
    async estimate(context, { id, escrow_tx_hash: transfer, payment_chain: chain }, caller) {
      const order = await findOrder(context.database.db, id);
      if (order === undefined || order.priceMicros === null || !rolesOf(caller, order).includes('buyer')) return undefined;
      const { priceMicros: amountMicros, providerAgentId, category } = order;
      const named = transferred(context, networkOfReference(chain, transfer), transfer);
      return { amountMicros, providerAgentId, category: category ?? undefined, about: order.id, ...named };
    },
  },
  'bounties.accept': {
    async estimate(context, { id, claim_id, escrow_tx_hash: transfer, payment_chain: chain }, caller) {
      const claim = await findClaim(context.database.db, id, claim_id);
      const bounty = await requireBounty(context.database.db, id);
      if (claim === undefined || !isPoster(caller, bounty)) return undefined;
      const { budgetMicros, category, orderId: about } = bounty;
      const terms = { amountMicros: withFeeOnTop(budgetMicros), providerAgentId: claim.agentId, category, about };
      return { ...terms, ...transferred(context, networkOfReference(chain, transfer), transfer) };
    },
  },
  'earn.deposit': {
    async estimate(context, { amount_usd, incoming_tx_hash: transfer, ...vault }) {
      const network = findDepositNetwork(context.earn, vault);
      return network && { amountMicros: parseUsd(amount_usd) ?? 0n, about: null, ...transferred(context, network, transfer) };
    },
  },
  'earn.agentDeposit': {
    async estimate(context, { id, amount_usd }, caller) {
      const agent = await findAgent(context.database.db, id);
      if (agent === undefined || !mayEditAgent(caller, agent)) return undefined;
      return {
        amountMicros: parseUsd(amount_usd) ?? 0n,
        about: id,
        movementOf: ({ data }) => (data as { transfer_id: string }).transfer_id,
      };
    },
  },
  'bounties.claim': { onlyFrozen: 'A stake comes back, unless the agent wins and does not deliver.', paidBy: ({ agent_id }) => agent_id },
  'earn.withdraw': { onlyFrozen: 'The money comes back to the caller.' },
  'wallets.withdraw': { onlyFrozen: 'It goes to the address that the owner set; the wallet has a limit per day of its own.' },
  'wallets.send': { onlyFrozen: 'Only the owner sends, in person; the wallet has a limit per day of its own.' },
  'tokens.launch': { onlyFrozen: COIN, paidBy: ({ id }) => id },
  'said.mint': { onlyFrozen: COIN },
  'onchainIdentity.register': { onlyFrozen: COIN },
  'orders.approve': { free: HELD },
  'orders.cancel': { free: HELD },
  'orders.refund': { free: HELD },
  'orders.requestPayoutRetry': { free: HELD },
  'disputes.rule': { free: OPERATORS },
  'bounties.refund': { free: OPERATORS },
  'money.retryPayout': { free: OPERATORS },
  'money.refundSurplus': { free: OPERATORS },
  'money.refundUnmatched': { free: OPERATORS },
};

/** A request without a payment gets the price, and nothing is taken. */
async function estimateHire(
  context: SpendingContext,
  serviceId: string,
  headers: Parameters<typeof namePayment>[1],
): Promise<Estimate | undefined> {
  const payment = namePayment(context, headers);
  if (payment === undefined) return undefined;
  const price = await readMaxHirePrice(context, serviceId);
  return price && { ...price, about: serviceId, ...namedBy(payment) };
}

function namedBy({ kind, caip2, name }: NamedPayment): Pick<Estimate, 'reference' | 'isTransferred' | 'transferSeconds'> {
  return kind === 'transfer'
    ? { reference: transferReference(caip2, name), isTransferred: true, transferSeconds: MAX_PROOF_SECONDS }
    : { reference: paymentReference(caip2, name) };
}

/** The handler refuses a reference that no chain can read. */
function transferred({ chains }: SpendingContext, network: NetworkName, text: string): Pick<Estimate, 'reference' | 'isTransferred'> {
  const chain = chains.get(network);
  const reference = chain?.canonicalReference(text);
  return {
    isTransferred: true,
    ...(chain !== undefined && reference !== undefined && { reference: transferReference(chain.caip2, reference) }),
  };
}
