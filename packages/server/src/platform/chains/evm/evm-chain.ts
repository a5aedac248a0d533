/**
 * Base and other EVM networks behind the marketplace's port. Every node call goes through our own JSON-RPC client; viem only encodes,
 * hashes and signs.
 */

import { type NetworkName, networkFacts } from '@market/contract';
import type { Hex } from 'viem';
import { larger } from '../../larger-and-smaller.ts';
import type { Chain } from '../chain.ts';
import type { JsonRpcClient } from '../json-rpc.ts';
import type { EvmSigner } from '../treasury-signer.ts';
import { readHeadNumber, readNativeBalance, readTransactionCount } from './ask-node.ts';
import { broadcast } from './broadcast.ts';
import { verifyContractSignature } from './contract-signature.ts';
import { estimateFee } from './estimate-fee.ts';
import { canonicalAddress, canonicalReference, type EvmContext, type UsdcDomain } from './evm-context.ts';
import { findSender } from './find-sender.ts';
import { findUnpayable } from './find-unpayable.ts';
import { createFeedbackRegistry } from './give-feedback.ts';
import { listOutgoing } from './list-outgoing.ts';
import { listTreasuryTransfers } from './list-treasury-transfers.ts';
import { broadcastForeign, preparePayment } from './prepare-payment.ts';
import { isContract } from './read-code.ts';
import { isAuthorised, readOutcome } from './read-outcome.ts';
import { readReceipt } from './read-receipt.ts';
import { createAgentRegistrar } from './register-agent.ts';
import { type ChainIdentity, requireIdentity } from './require-identity.ts';
import { replaceTransfer, signTransfer } from './sign-transfer.ts';
import { authorizationNonce, readUsdcBalance } from './usdc.ts';
import { createYieldVenues } from './venues/create-yield-venues.ts';
import { createRouterDeployer } from './venues/deploy-router.ts';

export interface EvmChainOptions {
  readonly network: NetworkName;
  readonly chainId: number;
  readonly usdcAddress: string;
  /** Without a signer, this process only watches the treasury. */
  readonly treasury: EvmSigner | { readonly address: string };
  /** Pays the fees of USDC transfers instead of the treasury. */
  readonly feePayer?: EvmSigner | undefined;
  readonly rpc: JsonRpcClient;
  /** For checks of strangers' signatures, so that a flood of them cannot open the breaker that payments use. */
  readonly signatureRpc?: JsonRpcClient;
  /** For the identity check, while `rpc` waits for it. */
  readonly identityRpc?: JsonRpcClient;
  /** Default: the network's own. On an OP chain `safe` is posted to Ethereum, `finalized` is final there. */
  readonly finalTag?: 'safe' | 'finalized';
  readonly usdcDomain?: UsdcDomain;
  /** An old block of the real chain; absent in the sandbox, whose chain is new each time. */
  readonly identity?: ChainIdentity;
  /** First block of the search for unreported transfers, used once; default: the last final block. */
  readonly startBlock?: bigint;
  /** Highest price of a unit of gas, in wei. Payouts wait while the network asks for more. */
  readonly maxFeePerGas?: bigint;
}

const DEFAULT_DOMAIN: UsdcDomain = { name: 'USD Coin', version: '2' };
const FIVE_GWEI = 5n * 10n ** 9n;

export function createEvmChain(options: EvmChainOptions): Chain {
  const context = openContext(options);
  const { network, chainId, usdc, treasury } = context;
  const signatureContext = { ...context, rpc: options.signatureRpc ?? context.rpc };
  const identityContext = { ...context, rpc: options.identityRpc ?? context.rpc };
  let { identity } = options;
  return {
    network,
    kind: 'evm',
    caip2: `eip155:${chainId}`,
    usdcAddress: usdc,
    treasury,
    canonicalReference,
    canonicalAddress,
    readReceipt: async (reference, known) => await readReceipt(context, requireCanonical(canonicalReference(reference), reference), known),
    listTreasuryTransfers: (cursor, limit, upTo) => listTreasuryTransfers(context, cursor, limit, upTo),
    async readBalances(address) {
      const owner = requireCanonical(canonicalAddress(address), address);
      const [usdcMicros, native] = await Promise.all([readUsdcBalance(context, owner), readNativeBalance(context, owner)]);
      return { usdcMicros, native };
    },
    intentKey: (intentId) => authorizationNonce({ intentId }),
    listOutgoing: (cursor, findKnown) => listOutgoing(context, cursor, findKnown),
    async countSent() {
      const [latest, pending] = await Promise.all([
        readTransactionCount(context, treasury, 'latest'),
        readTransactionCount(context, treasury, 'pending'),
      ]);
      return larger(latest, pending);
    },
    findSender,
    // Two transfers of one intent carry the same authorisation, and USDC accepts it once: the later one cannot pay again.
    awaitLateTransfers: async () => undefined,
    signTransfer: (transfer) => signTransfer(context, transfer),
    replaceTransfer: (transfer, signed) => replaceTransfer(context, transfer, signed),
    broadcast: (signed) => broadcast(context, signed),
    readOutcome: (transfer, signed) => readOutcome(context, transfer, signed),
    isAuthorised: (transfer, signed) => isAuthorised(context, transfer, signed),
    estimateFee: (transfer) => estimateFee(context, transfer),
    findUnpayable: (address) => findUnpayable(context, address),
    canReceive: async () => true,
    isContract: (address) => isContract(context, address),
    registrar: createAgentRegistrar(context),
    feedback: createFeedbackRegistry(context),
    venues: createYieldVenues(context),
    earnRouter: createRouterDeployer(context),
    confirmations: Number(context.confirmedDepth) + 1,
    async countConfirmations({ blockNumber }) {
      const deep = (await readHeadNumber(context)) - blockNumber + 1n;
      return Math.max(0, Math.min(Number(deep), Number(context.confirmedDepth) + 1));
    },
    preparePayment: async (payer, micros, note) =>
      await preparePayment(context, requireCanonical(canonicalAddress(payer), payer), micros, note),
    broadcastForeign: (signed) => broadcastForeign(context, signed),
    async verifyContractSignature(address, text, signature) {
      const wallet = canonicalAddress(address);
      return wallet !== undefined && (await verifyContractSignature(signatureContext, wallet, text, signature));
    },
    async requireIdentity() {
      identity = await requireIdentity(identityContext, identity);
    },
  };
}

function openContext(options: EvmChainOptions): EvmContext {
  const { network, chainId, rpc, treasury, usdcAddress } = options;
  const { finality } = networkFacts[network];
  return {
    network,
    chainId,
    rpc,
    usdc: requireCanonical(canonicalAddress(usdcAddress), usdcAddress),
    treasury: requireCanonical(canonicalAddress(treasury.address), treasury.address),
    signer: 'signTransaction' in treasury ? treasury : undefined,
    feePayer: options.feePayer,
    usdcDomain: options.usdcDomain ?? DEFAULT_DOMAIN,
    confirmedDepth: BigInt(finality.confirmations - 1),
    finalTag: options.finalTag ?? finality.finalTag,
    startBlock: options.startBlock,
    maxFeePerGas: options.maxFeePerGas ?? FIVE_GWEI,
  };
}

function requireCanonical(canonical: Hex | undefined, text: string): Hex {
  if (canonical === undefined)
    throw new Error(`"${text.slice(0, 100)}" is neither an address nor a transaction of an EVM network where one is needed.`);
  return canonical;
}
