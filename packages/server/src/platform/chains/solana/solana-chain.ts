/** Solana behind the port all chains share. Sandbox and mainnet differ in the node's address and in what `identity` pins. */
import { networkFacts } from '@market/contract';
import type { Chain } from '../chain.ts';
import { canonicalAddress, canonicalReference, requireAddress } from './base58-text.ts';
import { broadcast } from './broadcast.ts';
import { estimateFee } from './estimate-fee.ts';
import { findUnpayable } from './find-unpayable.ts';
import { USDC_DECIMALS } from './instructions.ts';
import { findMaking, isMade, readMintOutcome, signMint } from './launch-token.ts';
import { awaitLateTransfers, listOutgoing, listOutgoingCoins } from './list-outgoing.ts';
import { listTreasuryTransfers } from './list-treasury-transfers.ts';
import { broadcastForeign, preparePayment } from './prepare-payment.ts';
import { listWalletTransactions, readCoinChange } from './read-coins.ts';
import { readMention } from './read-mention.ts';
import { readMint } from './read-mint.ts';
import { readOutcome } from './read-outcome.ts';
import { readReceipt } from './read-receipt.ts';
import { signTransfer } from './sign-transfer.ts';
import { openSolanaContext, type SolanaChainOptions, type SolanaContext } from './solana-context.ts';
import { createSolanaRpc } from './solana-rpc.ts';
import { deriveTokenAccount, readMintDecimals, readTokenAccount } from './token-account.ts';

export function createSolanaChain(options: SolanaChainOptions): Chain {
  const { network } = options;
  const { finality, local } = networkFacts[network];
  const caip2 = options.caip2 ?? local.caip2;
  let genesisHash = options.identity?.genesisHash;
  const usdcAddress = requireAddress(options.usdcMint, 'USDC mint');
  const treasury = requireAddress(options.treasury.address, 'treasury');
  const opened = openSolanaContext(options);
  const identityRpc = createSolanaRpc(options.identityRpc ?? options.rpc);

  return {
    network,
    kind: 'solana',
    caip2,
    usdcAddress,
    treasury,
    canonicalReference,
    canonicalAddress,
    readReceipt: async (reference, known) => readReceipt(await opened, reference, known),
    listTreasuryTransfers: async (cursor, limit, upTo) => listTreasuryTransfers(await opened, cursor, limit, upTo),
    readBalances: async (address) => readBalances(await opened, address),
    intentKey: (intentId) => intentId,
    listOutgoing: async (cursor, findKnown) => listOutgoing(await opened, cursor, findKnown),
    awaitLateTransfers: async () => awaitLateTransfers(await opened),
    signTransfer: async (transfer, terms) => signTransfer(await opened, transfer, terms),
    // A stuck transaction blocks no others on Solana: it expires within a minute or two and is signed again.
    replaceTransfer: async () => undefined,
    broadcast: async (signed) => broadcast((await opened).rpc, signed),
    readOutcome: async (transfer, signed) => readOutcome(await opened, transfer, signed),
    estimateFee: async (transfer) => estimateFee(await opened, transfer),
    findUnpayable: async (address) => findUnpayable(await opened, address),
    canReceive: async (address) => canReceive(await opened, address),
    isContract: async () => false,
    confirmations: finality.confirmations,
    // A receipt is returned only once the cluster has voted for its block.
    countConfirmations: async () => finality.confirmations,
    preparePayment: async (payer, micros, note) => preparePayment(await opened, requireAddress(payer, 'wallet that pays'), micros, note),
    broadcastForeign: async (signed) => broadcastForeign(await opened, signed),
    tokens: {
      readMint: async (mint) => readMint(await opened, mint),
      readMention: async (reference, mint) => readMention(await opened, reference, mint),
    },
    coins: {
      listWalletTransactions: async (cursor, limit) => listWalletTransactions(await opened, cursor, limit),
      readCoinChange: async (reference) => readCoinChange(await opened, reference),
      listOutgoingCoins: async (cursor, findKnown) => listOutgoingCoins(await opened, cursor, findKnown),
    },
    launcher: {
      signMint: async (planned, mintKey) => signMint(await opened, planned, mintKey),
      readOutcome: async (planned, signed) => readMintOutcome(await opened, planned, signed),
      isMade: async (mint) => isMade(await opened, requireAddress(mint, 'mint')),
      findMaking: async (mint) => findMaking(await opened, requireAddress(mint, 'mint')),
    },
    verifyContractSignature: async () => false,
    async requireIdentity() {
      genesisHash = await requireIdentity({ rpc: identityRpc, usdcMint: (await opened).usdcMint }, genesisHash);
    },
  };
}

async function readBalances({ rpc, usdcMint }: SolanaContext, text: string): Promise<{ usdcMicros: bigint; native: bigint }> {
  const owner = requireAddress(text, 'wallet whose balance is asked for');
  const [wallet, account] = await rpc.readAccounts([owner, await deriveTokenAccount(owner, usdcMint)]);
  const tokens = readTokenAccount(account);
  return { usdcMicros: tokens?.owner === owner && tokens.mint === usdcMint ? tokens.micros : 0n, native: BigInt(wallet?.lamports ?? 0) };
}

async function canReceive({ rpc, usdcMint }: SolanaContext, text: string): Promise<boolean> {
  const owner = requireAddress(text, 'wallet to pay');
  const [account] = await rpc.readAccounts([await deriveTokenAccount(owner, usdcMint)]);
  const tokens = readTokenAccount(account);
  return tokens?.owner === owner && tokens.mint === usdcMint && !tokens.frozen;
}

/** Returns the identity that the node must keep: the pinned one, otherwise the one found. */
async function requireIdentity(
  { rpc, usdcMint }: Pick<SolanaContext, 'rpc' | 'usdcMint'>,
  genesisHash: string | undefined,
): Promise<string> {
  const actual = await rpc.readGenesisHash();
  if (genesisHash !== undefined && actual !== genesisHash) {
    throw new Error(`The Solana node serves another network: its genesis is ${actual}, expected ${genesisHash}. Check the RPC URL.`);
  }
  const [mint] = await rpc.readAccounts([usdcMint]);
  if (readMintDecimals(mint) !== USDC_DECIMALS) {
    throw new Error(
      `${usdcMint} is no USDC mint on this Solana network: expected ${USDC_DECIMALS} decimals under the token program. Check the mint.`,
    );
  }
  return actual;
}
