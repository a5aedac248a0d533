/** Settles Solana payments: adds the fee payer's signature, stores the bytes, and sends them until they have landed or never can. */
import { usualNetwork } from '@market/contract';
import { base58 } from '@scure/base';
import type { Address } from '@solana/addresses';
import { getCompiledTransactionMessageDecoder } from '@solana/transaction-messages';
import { getBase64EncodedWireTransaction, getTransactionDecoder, type Transaction } from '@solana/transactions';
import { z } from 'zod';
import { ChainUnavailable } from '../chains/chain.ts';
import { type JsonRpcClient, RpcError } from '../chains/json-rpc.ts';
import { createSolanaRpc, type SolanaRpc } from '../chains/solana/solana-rpc.ts';
import { type SolanaSigner, signChecked } from '../chains/solana/solana-signer.ts';
import { reachCrashPoint } from '../crash-points.ts';
import { type PartialTransaction, readPartialTransaction } from './exact-payload.ts';
import type { Settled, StandardPayment, Verified } from './facilitator.ts';
import { nameTransaction } from './payment-identity.ts';
import type { PendingSettlement, PendingSettlements } from './pending-settlements.ts';
import { pollUntil } from './poll-until.ts';
import { refusal } from './refusal.ts';
import type { SettlementPace, Settler } from './settler.ts';
import { MOST_LAMPORTS, verifyExactSvm } from './verify-exact-svm.ts';

export interface SolanaEndpoint {
  readonly caip2: string;
  readonly rpc: JsonRpcClient;
  readonly usdcMint: string;
  readonly treasury: string;
}

export interface SolanaSponsor {
  readonly signer: SolanaSigner;
  readonly pendings: PendingSettlements;
}

interface Settlement extends SolanaSponsor, Pick<SettlementPace, 'confirmationMs'> {
  readonly endpoint: SolanaEndpoint;
  readonly questions: SolanaRpc;
}

const NETWORK = usualNetwork.solana;

export function createSolanaSettler(
  endpoint: SolanaEndpoint,
  sponsor: SolanaSponsor,
  pace: Pick<SettlementPace, 'confirmationMs'>,
): Settler {
  const settlement: Settlement = { endpoint, questions: createSolanaRpc(endpoint.rpc), ...sponsor, ...pace };
  return {
    network: NETWORK,
    extra: { feePayer: sponsor.signer.address },
    nameOf: nameTransaction,
    verify: (payment) => verify(settlement, payment),
    settle: (payment, identity) => settle(settlement, payment, identity),
    // Nobody else can broadcast the transaction: it lacks our signature until we send it.
    findPreempted: async () => undefined,
    countAffordable: () => countAffordable(settlement),
  };
}

async function verify({ endpoint, signer }: Settlement, payment: StandardPayment): Promise<Verified> {
  const partial = readPartial(endpoint, payment);
  if ('reason' in partial) return { valid: false, ...partial };
  return await verifyExactSvm(endpoint.rpc, signer.address as Address, payment, partial);
}

/** The payer's transaction, or the reason to refuse it without asking the chain. */
export function readPartial({ caip2, usdcMint, treasury }: Omit<SolanaEndpoint, 'rpc'>, { requirement, payload }: StandardPayment) {
  if (requirement.scheme !== 'exact') return refusal('invalid_scheme');
  if (requirement.network !== caip2) return refusal('invalid_network');
  if (requirement.asset !== usdcMint || requirement.payTo !== treasury) return refusal('invalid_payment_requirements');
  return readPartialTransaction(payload) ?? refusal('invalid_payload');
}

async function settle(settlement: Settlement, payment: StandardPayment, identity: string): Promise<Settled> {
  const { endpoint, signer, pendings } = settlement;
  const partial = readPartial(endpoint, payment);
  if ('reason' in partial) return { state: 'failed', ...partial };
  const known = await pendings.find(identity);
  if (known !== undefined) return await pursue(settlement, known);

  const verdict = await verifyExactSvm(endpoint.rpc, signer.address as Address, payment, partial);
  if (!verdict.valid) {
    // Another process may have sent this payment in the meantime, and a node refuses the same transaction a second time.
    const meanwhile = await pendings.find(identity);
    if (meanwhile !== undefined) return await pursue(settlement, meanwhile);
    return { state: 'failed', reason: verdict.reason, message: verdict.message };
  }
  const pending = await seal(signer, partial);
  reachCrashPoint('x402.after_sign');
  await pendings.keep(identity, pending);
  reachCrashPoint('x402.after_keep');
  return await pursue(settlement, pending);
}

/** Signing is deterministic, so two processes that settle one payment send the same transaction. */
async function seal(signer: SolanaSigner, { transaction }: PartialTransaction): Promise<PendingSettlement> {
  const signature = await signChecked(signer, Uint8Array.from(transaction.messageBytes));
  const signatures = { ...transaction.signatures, [signer.address]: signature } as Transaction['signatures'];
  return { reference: base58.encode(signature), bytes: getBase64EncodedWireTransaction({ ...transaction, signatures }) };
}

const RESEND_MS = 1_000;

/** Sends the bytes repeatedly while polling, because nodes drop transactions that they cannot forward at once. */
async function pursue({ questions, endpoint, confirmationMs }: Settlement, pending: PendingSettlement): Promise<Settled> {
  let sentAt = Number.NEGATIVE_INFINITY;
  const outcome = await pollUntil(confirmationMs, async () => {
    const found = await findOutcome(questions, pending);
    if (found !== undefined || performance.now() - sentAt < RESEND_MS) return found;
    sentAt = performance.now();
    await send(questions, pending);
    return await findExpiry(questions, endpoint.rpc, pending);
  });
  return outcome ?? { state: 'unknown', reference: pending.reference, reason: 'settlement_pending' };
}

/** Ignores the node's answer, which proves nothing: only the transaction's status does. */
async function send(questions: SolanaRpc, { bytes }: PendingSettlement): Promise<void> {
  try {
    await questions.send(bytes);
    reachCrashPoint('x402.after_broadcast');
  } catch (error) {
    if (!(error instanceof RpcError)) throw error;
  }
}

async function findOutcome(questions: SolanaRpc, { reference, bytes }: PendingSettlement): Promise<Settled | undefined> {
  const { status } = await questions.findStatus(reference);
  if (status?.confirmationStatus !== 'confirmed' && status?.confirmationStatus !== 'finalized') return undefined;
  if (status.err !== null) return { state: 'failed', reference, ...refusal('invalid_exact_svm_transaction_failed') };
  return { state: 'settled', reference, payer: readPayer(bytes) };
}

const validity = z.object({ context: z.object({ slot: z.int() }), value: z.boolean() });

/**
 * A blockhash unknown to the final and the confirmed block has expired for good; a new one is known to the confirmed block. Then the
 * transaction is final or nowhere.
 */
async function findExpiry(questions: SolanaRpc, rpc: JsonRpcClient, { reference, bytes }: PendingSettlement): Promise<Settled | undefined> {
  const { blockhash } = decode(bytes);
  const final = await askValidity(rpc, blockhash, 'finalized');
  if (final.value || (await askValidity(rpc, blockhash, 'confirmed')).value) return undefined;
  const { slot, status } = await questions.findStatus(reference);
  if (status !== null || slot < final.context.slot) return undefined;
  return { state: 'failed', reference, ...refusal('invalid_exact_svm_transaction_expired') };
}

async function askValidity(rpc: JsonRpcClient, blockhash: string, commitment: string): Promise<z.output<typeof validity>> {
  try {
    return await rpc.call('isBlockhashValid', [blockhash, { commitment }], validity);
  } catch (error) {
    if (error instanceof RpcError) throw new ChainUnavailable(NETWORK, `the node refused isBlockhashValid: ${error.message}`, error);
    throw error;
  }
}

function decode(bytes: string): { readonly blockhash: string; readonly signers: readonly string[] } {
  const { messageBytes } = getTransactionDecoder().decode(Buffer.from(bytes, 'base64'));
  const { lifetimeToken, staticAccounts, header } = getCompiledTransactionMessageDecoder().decode(messageBytes);
  return { blockhash: lifetimeToken, signers: staticAccounts.slice(0, header.numSignerAccounts) };
}

/** The fee payer signs first, so the payer is the second signer. */
function readPayer(bytes: string): string {
  return decode(bytes).signers[1] ?? '';
}

/** The runtime refuses a fee payer whose balance falls below this. */
const LEAST_LAMPORTS = 890_880n;

async function countAffordable({ questions, signer }: Settlement): Promise<number> {
  const [account] = await questions.readAccounts([signer.address as Address]);
  const spendable = BigInt(account?.lamports ?? 0) - LEAST_LAMPORTS;
  return spendable > 0n ? Number(spendable / MOST_LAMPORTS) : 0;
}
