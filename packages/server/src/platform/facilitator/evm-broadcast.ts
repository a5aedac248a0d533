/** Sends a settlement as a transaction of the sponsor: signed, stored, and only then sent, one at a time per key over all processes. */
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { keccak256, parseTransaction } from 'viem/utils';
import { z } from 'zod';
import { ChainUnavailable } from '../chains/chain.ts';
import { askNode, estimateGas, readNativeBalance, readTransactionCount, sendRawTransaction } from '../chains/evm/ask-node.ts';
import { decodeBytes } from '../chains/evm/broadcast.ts';
import type { EvmContext } from '../chains/evm/evm-context.ts';
import { ExecutionReverted } from '../chains/evm/execution-reverted.ts';
import { type Fees, readAffordablePrices } from '../chains/evm/fees.ts';
import { addGasMargin, sealTransaction } from '../chains/evm/treasury-transaction.ts';
import { RpcError } from '../chains/json-rpc.ts';
import { takeSigningTurn } from '../chains/signing-turn.ts';
import type { EvmSigner } from '../chains/treasury-signer.ts';
import { reachCrashPoint } from '../crash-points.ts';
import { encodeUse } from './evm-authorization.ts';
import type { AuthorizedTransfer } from './exact-payload.ts';
import type { PendingSettlement, PendingSettlements } from './pending-settlements.ts';
import { MOST_SETTLEMENT_GAS } from './verify-exact-evm.ts';

export interface EvmSponsor {
  readonly signer: EvmSigner;
  readonly pool: pg.Pool;
  readonly pendings: PendingSettlements;
}

export interface Cost {
  readonly gas: bigint;
  readonly fees: Fees;
}

/** Fees may triple within the next few blocks. Unused fees are not charged, but the sponsor must hold them. */
const FEE_HEADROOM = 3n;

export async function offerSponsorFees(context: EvmContext): Promise<Fees> {
  const { maxFeePerGas: ceiling } = context;
  const { nextBaseFee, tip: maxPriorityFeePerGas } = await readAffordablePrices(context);
  const roomy = (nextBaseFee + maxPriorityFeePerGas) * FEE_HEADROOM;
  if (roomy > ceiling) return { maxFeePerGas: ceiling, maxPriorityFeePerGas };
  return { maxFeePerGas: roomy, maxPriorityFeePerGas };
}

/** Undefined when USDC would refuse the transfer, or the payer's wallet needs more gas than we give. */
export async function findCost(context: EvmContext, sponsor: EvmSigner, transfer: AuthorizedTransfer): Promise<Cost | undefined> {
  try {
    const call = { from: sponsor.address, to: context.usdc, data: encodeUse(transfer) };
    const [estimated, fees, balance] = await Promise.all([
      estimateGas(context, call),
      offerSponsorFees(context),
      readNativeBalance(context, sponsor.address),
    ]);
    const gas = addGasMargin(estimated);
    if (gas > MOST_SETTLEMENT_GAS) return undefined;
    if (balance < gas * fees.maxFeePerGas) {
      throw new ChainUnavailable(context.network, `the sponsor ${sponsor.address} has too little of the network's coin for a settlement`);
    }
    return { gas, fees };
  } catch (error) {
    if (error instanceof ExecutionReverted) return undefined;
    throw error;
  }
}

export interface Announcement {
  readonly identity: string;
  readonly transfer: AuthorizedTransfer;
  readonly cost: Cost;
  /** An earlier transaction for this payment that can never land. */
  readonly supersedes?: string;
  /** How long to wait for the signing turn. Our own turn has no limit. */
  readonly patienceMs: number;
}

export async function announce(context: EvmContext, sponsor: EvmSponsor, announcement: Announcement): Promise<PendingSettlement> {
  let state: 'waiting' | 'begun' | 'gone' = 'waiting';
  const turn = takeSigningTurn(sponsor.pool, signingKey(context, sponsor.signer), async () => {
    if (state === 'gone') throw new ChainUnavailable(context.network, 'nobody waits for this settlement any more');
    state = 'begun';
    return await signAndSend(context, sponsor, announcement);
  });
  const ending = new AbortController();
  const impatience = sleep(announcement.patienceMs, undefined, { signal: ending.signal }).then(() => {
    if (state !== 'waiting') return turn;
    state = 'gone';
    throw new ChainUnavailable(context.network, 'too many settlements are waiting for the sponsor');
  });
  try {
    return await Promise.race([turn, impatience]);
  } finally {
    ending.abort();
  }
}

export function signingKey({ network }: Pick<EvmContext, 'network'>, { address }: Pick<EvmSigner, 'address'>): string {
  return `x402:${network}:${address}`;
}

/** Signs with the first free account nonce, unless another process has signed a transaction for this payment in the meantime. */
async function signAndSend(
  context: EvmContext,
  { signer, pendings }: EvmSponsor,
  { identity, transfer, cost, supersedes }: Announcement,
): Promise<PendingSettlement> {
  const known = await pendings.find(identity);
  if (known !== undefined && known.reference !== supersedes) return known;
  const call = { to: context.usdc, value: 0n, data: encodeUse(transfer), ...cost };
  let nonce = await readTransactionCount(context, signer.address, 'pending');
  for (let attempt = 1; ; attempt++) {
    const { reference, bytes } = await sealTransaction(context, signer, { ...call, nonce });
    reachCrashPoint('x402.after_sign');
    await pendings.keep(identity, { reference, bytes });
    reachCrashPoint('x402.after_keep');
    // Another process may have found our bytes and sent them first: then our own transaction used the nonce.
    const isTaken = (await send(context, bytes)) && !(await isKnownToNode(context, { reference }));
    reachCrashPoint('x402.after_broadcast');
    if (!isTaken || attempt === MOST_NONCES) return { reference, bytes };
    nonce += 1n;
  }
}

/** Limit of retries: a node that lags returns account nonces that our last transactions have used. */
const MOST_NONCES = 4;
const NONCE_TAKEN = /nonce (?:is )?too low|old nonce|replacement transaction underpriced/i;

/**
 * True when another transaction has used the account nonce. After any other error the bytes may have arrived; only the chain can tell. The
 * same holds if they were sent twice because the first answer was lost: then they probably used the nonce themselves. If a second
 * transaction for the same payment is signed after all, USDC refuses one of the two.
 */
async function send(context: EvmContext, bytes: string): Promise<boolean> {
  try {
    await sendRawTransaction(context, decodeBytes(bytes));
    return false;
  } catch (error) {
    if (error instanceof RpcError) return !error.isRepeat && NONCE_TAKEN.test(error.message);
    if (error instanceof ChainUnavailable) return false;
    throw error;
  }
}

export async function isKnownToNode(context: EvmContext, { reference }: Pick<PendingSettlement, 'reference'>): Promise<boolean> {
  return (await askNode(context, 'eth_getTransactionByHash', [reference], z.looseObject({}).nullable())) !== null;
}

export async function sendAgain(context: EvmContext, { bytes }: PendingSettlement): Promise<void> {
  await send(context, bytes);
}

export function readAccountNonce({ bytes, reference }: PendingSettlement): bigint {
  const raw = decodeBytes(bytes);
  if (keccak256(raw) !== reference) throw new Error(`The bytes kept for ${reference} are not those of ${reference}.`);
  return BigInt(parseTransaction(raw as `0x02${string}`).nonce ?? 0);
}
