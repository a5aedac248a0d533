/** Feedback that a stranger's wallet gives an agent: the call it sends, its cost, and the event that proves it. */
import type { Hex } from 'viem';
import { decodeEventLog, encodeFunctionData, keccak256, numberToHex, parseAbi, stringToBytes, toEventSelector } from 'viem/utils';
import { ChainUnavailable, TransferRefused } from '../chain.ts';
import type { FeedbackReading, FeedbackRegistry, PlannedFeedback, PreparedFeedback } from '../feedback-registry.ts';
import { askNode, estimateGas, readNativeBalance, readTransactionCount } from './ask-node.ts';
import { readDataFee } from './data-fee.ts';
import { canonicalAddress, canonicalReference, type EvmContext } from './evm-context.ts';
import { ExecutionReverted } from './execution-reverted.ts';
import { readPrices } from './fees.ts';
import { findInclusion } from './inclusion.ts';
import { bytes as bytesAnswer, type LogAnswer } from './node-answers.ts';

const abi = parseAbi([
  'function giveFeedback(uint256 agentId, int128 value, uint8 valueDecimals, string tag1, string tag2, string endpoint, string feedbackURI, bytes32 feedbackHash)',
  'event NewFeedback(uint256 indexed agentId, address indexed clientAddress, uint64 feedbackIndex, int128 value, uint8 valueDecimals, string indexed indexedTag1, string tag1, string tag2, string endpoint, string feedbackURI, bytes32 feedbackHash)',
]);
const NEW_FEEDBACK = toEventSelector('NewFeedback(uint256,address,uint64,int128,uint8,string,string,string,string,string,bytes32)');
/** Approximate bytes of a transaction beside its calldata: fees, nonce, signature. */
const ENVELOPE_BYTES = 120n;

export function createFeedbackRegistry(context: EvmContext): FeedbackRegistry {
  return {
    hashFile: (text) => keccak256(stringToBytes(text)),
    prepare: (planned) => prepare(context, planned),
    read: (planned, reference) => read(context, planned, reference),
  };
}

function requireAddress({ network }: EvmContext, text: string): Hex {
  const address = canonicalAddress(text);
  if (address === undefined) throw new ChainUnavailable(network, `${text} is no address`);
  return address;
}

async function prepare(context: EvmContext, planned: PlannedFeedback): Promise<PreparedFeedback | undefined> {
  const [to, from] = [requireAddress(context, planned.registry), requireAddress(context, planned.client)];
  // A call to an address without code succeeds and publishes nothing.
  if ((await askNode(context, 'eth_getCode', [to, 'latest'], bytesAnswer)) === '0x') return undefined;
  const { agentId, value, tag1, uri, fileHash } = planned;
  const args = [BigInt(agentId), BigInt(value), 0, tag1, '', '', uri, fileHash as Hex] as const;
  const data = encodeFunctionData({ abi, functionName: 'giveFeedback', args });
  try {
    const [used, { nextBaseFee, tip }, dataFee, balance, nonce] = await Promise.all([
      estimateGas(context, { from, to, data }),
      readPrices(context),
      readDataFee(context, BigInt((data.length - 2) / 2) + ENVELOPE_BYTES),
      readNativeBalance(context, from),
      readTransactionCount(context, from, 'pending'),
    ]);
    const gas = (used * 12n) / 10n;
    // Twice the base fee outlasts six full blocks; the chain takes only what it needs.
    const maxFeePerGas = 2n * nextBaseFee + tip;
    const fees = { maxFeePerGas: numberToHex(maxFeePerGas), maxPriorityFeePerGas: numberToHex(tip) };
    return {
      expected: used * (nextBaseFee + tip) + dataFee,
      required: gas * maxFeePerGas + dataFee,
      balance,
      transaction: { chainId: context.chainId, from, to, data, gas: numberToHex(gas), ...fees, nonce: Number(nonce) },
    };
  } catch (error) {
    if (!(error instanceof ExecutionReverted)) throw error;
    throw new TransferRefused('destination', `The registry refuses feedback of ${from} about agent ${agentId}: ${error.reason}`, error);
  }
}

async function read(context: EvmContext, planned: PlannedFeedback, reference: string): Promise<FeedbackReading> {
  const hash = canonicalReference(reference);
  const inclusion = hash && (await findInclusion(context, hash));
  if (inclusion === undefined) return { state: 'missing' };
  const { finality, succeeded, logs } = inclusion;
  if (!succeeded) return { state: 'failed', finality };
  return { state: 'landed', finality, index: findIndex(context, planned, logs) };
}

/** Every field must match the plan: the registry counts value and tags, whatever the file says. */
function findIndex(context: EvmContext, planned: PlannedFeedback, logs: readonly LogAnswer[]): bigint | undefined {
  const [registry, client] = [requireAddress(context, planned.registry), requireAddress(context, planned.client)];
  for (const { address, topics, data } of logs) {
    if (canonicalAddress(address) !== registry || topics[0] !== NEW_FEEDBACK) continue;
    const { args } = decodeEventLog({ abi, eventName: 'NewFeedback', topics: topics as [Hex, ...Hex[]], data });
    const isPlanned =
      String(args.agentId) === planned.agentId &&
      canonicalAddress(args.clientAddress) === client &&
      args.value === BigInt(planned.value) &&
      args.valueDecimals === 0 &&
      args.tag1 === planned.tag1 &&
      args.tag2 === '' &&
      args.endpoint === '' &&
      args.feedbackURI === planned.uri &&
      args.feedbackHash === planned.fileHash;
    if (isPlanned) return args.feedbackIndex;
  }
  return undefined;
}
