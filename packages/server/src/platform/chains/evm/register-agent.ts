/**
 * Registers an agent by a plain transaction of its wallet. No contract refuses a second one, so only the account nonce keeps attempts
 * apart. As with the native coin, nothing is signed again until another transaction has used that nonce in a final block.
 */
import type { Hex } from 'viem';
import { decodeEventLog, encodeFunctionData, keccak256, parseAbi, parseTransaction, toEventSelector } from 'viem/utils';
import type { AgentRegistrar, PlannedRegistration, RegistrationCost } from '../agent-registrar.ts';
import { ChainUnavailable, type SignedTransfer, type TransferOutcome, TransferRefused } from '../chain.ts';
import { askNode, estimateGas, readHeadNumber, readLogs, readNativeBalance, readTransactionCount, requireBlock } from './ask-node.ts';
import { decodeBytes } from './broadcast.ts';
import { readDataFee } from './data-fee.ts';
import { canonicalAddress, canonicalReference, type EvmContext } from './evm-context.ts';
import { ExecutionReverted } from './execution-reverted.ts';
import { readAffordablePrices, readGasPrice } from './fees.ts';
import { findInclusion, type Inclusion } from './inclusion.ts';
import { bytes as bytesAnswer } from './node-answers.ts';
import { isNonceGone } from './nonce-gone.ts';
import { addGasMargin, requireCoins, sealTransaction } from './treasury-transaction.ts';
import { addressTopic } from './usdc.ts';

const abi = parseAbi([
  'function register(string agentURI) returns (uint256 agentId)',
  'event Registered(uint256 indexed agentId, string agentURI, address indexed owner)',
]);
const REGISTERED = toEventSelector('Registered(uint256,string,address)');
const OPEN: TransferOutcome = { state: 'open' };
/** Approximate bytes of a transaction beside its calldata: fees, nonce, signature. */
const ENVELOPE_BYTES = 120n;

export function createAgentRegistrar(context: EvmContext): AgentRegistrar {
  return {
    estimate: (planned) => estimate(context, planned),
    signRegistration: (planned) => signRegistration(context, planned),
    readOutcome: (planned, signed) => readOutcome(context, planned, signed),
    async readAgentId(planned, reference) {
      const hash = canonicalReference(reference);
      const inclusion = hash && (await findInclusion(context, hash));
      return inclusion?.succeeded ? findAgentId(context, planned, inclusion) : undefined;
    },
    findRegistered: (planned) => findRegistered(context, planned),
  };
}

function callOf({ network }: EvmContext, { registry, uri }: PlannedRegistration): { readonly to: Hex; readonly data: Hex } {
  const to = canonicalAddress(registry);
  if (to === undefined) throw new ChainUnavailable(network, `the registry ${registry} is no address`);
  return { to, data: encodeFunctionData({ abi, functionName: 'register', args: [uri] }) };
}

interface Terms extends RegistrationCost {
  /** Includes the margin. */
  readonly gas: bigint;
}

async function estimate(context: EvmContext, planned: PlannedRegistration): Promise<Terms | undefined> {
  const { to, data } = callOf(context, planned);
  // A call to an address without code succeeds and registers nothing.
  if ((await askNode(context, 'eth_getCode', [to, 'latest'], bytesAnswer)) === '0x') return undefined;
  const size = BigInt((data.length - 2) / 2) + ENVELOPE_BYTES;
  try {
    const [used, price, dataFee] = await Promise.all([
      estimateGas(context, { from: context.treasury, to, data }),
      readGasPrice(context),
      readDataFee(context, size),
    ]);
    const gas = addGasMargin(used);
    return { gas, expected: used * price + dataFee, required: gas * context.maxFeePerGas + dataFee };
  } catch (error) {
    if (!(error instanceof ExecutionReverted)) throw error;
    throw new TransferRefused('destination', `The registry refuses to register this agent: ${error.reason}`, error);
  }
}

async function signRegistration(context: EvmContext, planned: PlannedRegistration): Promise<SignedTransfer> {
  const { network, signer, treasury, maxFeePerGas } = context;
  if (signer === undefined) throw new ChainUnavailable(network, `this process has no key of ${treasury}`);
  const terms = await estimate(context, planned);
  if (terms === undefined) throw new TransferRefused('destination', `There is no registry at ${planned.registry} on ${network}.`);
  requireCoins(context, await readNativeBalance(context, treasury), terms.required);
  const { tip } = await readAffordablePrices(context);
  const nonce = await readTransactionCount(context, treasury, 'pending');
  // Offers the whole ceiling from the start, because these bytes are never replaced.
  const fees = { maxFeePerGas, maxPriorityFeePerGas: tip };
  return await sealTransaction(context, signer, { ...callOf(context, planned), value: 0n, gas: terms.gas, fees, nonce });
}

async function readOutcome(context: EvmContext, planned: PlannedRegistration, signed: SignedTransfer): Promise<TransferOutcome> {
  requireOwnBytes(context, planned, signed);
  // Read this first: a transaction found later at or below this block is final.
  const final = await requireBlock(context, 'finalized');
  const inclusion = await findInclusion(context, signed.reference as Hex);
  if (inclusion === undefined) return (await isNonceGone(context, signed, final.number)) ? { state: 'expired' } : OPEN;
  const { reference, finality, blockNumber, succeeded } = inclusion;
  if (!succeeded) {
    const reason = `${reference} failed on ${context.network}: the registry at ${planned.registry} refused it.`;
    return blockNumber <= final.number ? { state: 'failed', reason } : OPEN;
  }
  if (findAgentId(context, planned, inclusion) === undefined)
    throw new ChainUnavailable(context.network, `${reference} does not show the registration it was signed for`);
  return { state: 'landed', reference, finality };
}

function requireOwnBytes(context: EvmContext, planned: PlannedRegistration, { reference, bytes }: SignedTransfer): void {
  const raw = decodeBytes(bytes);
  const { to, value = 0n, data } = parseTransaction(raw as `0x02${string}`);
  const call = callOf(context, planned);
  const isOurs = keccak256(raw) === reference && to && canonicalAddress(to) === call.to && value === 0n && data === call.data;
  if (!isOurs)
    throw new ChainUnavailable(context.network, `the bytes of ${reference} are not those of the registration they were stored for`);
}

const BLOCKS_PER_QUESTION = 10_000n;
/** Four days of Base's two-second blocks. */
const SEARCHED_BLOCKS = 200_000n;

/** Looks backwards through the registry's events about this wallet. */
async function findRegistered(context: EvmContext, planned: PlannedRegistration): Promise<string | undefined> {
  const { to } = callOf(context, planned);
  const topics = [REGISTERED, null, addressTopic(context.treasury)];
  const head = await readHeadNumber(context);
  for (let end = head; end >= 0n && end > head - SEARCHED_BLOCKS; end -= BLOCKS_PER_QUESTION) {
    const from = end < BLOCKS_PER_QUESTION ? 0n : end - BLOCKS_PER_QUESTION + 1n;
    for (const log of (await readLogs(context, to, topics, from, end)).toReversed()) {
      const inclusion = await findInclusion(context, log.transactionHash);
      if (inclusion?.succeeded && findAgentId(context, planned, inclusion) !== undefined) return log.transactionHash;
    }
  }
  return undefined;
}

/** Finds the event of this registry that names this wallet and this file. */
function findAgentId(context: EvmContext, planned: PlannedRegistration, { logs }: Inclusion): string | undefined {
  const { to } = callOf(context, planned);
  for (const { address, topics, data } of logs) {
    if (canonicalAddress(address) !== to || topics[0] !== REGISTERED) continue;
    const { args } = decodeEventLog({ abi, eventName: 'Registered', topics: topics as [Hex, ...Hex[]], data });
    if (canonicalAddress(args.owner) === context.treasury && args.agentURI === planned.uri) return String(args.agentId);
  }
  return undefined;
}
